#include "cli/tried_command.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

namespace tutti::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostOutput = 64 << 10;

int milliseconds_until(Clock::time_point end) {
  return static_cast<int>(
      std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count()));
}

/// Until the other side is closed. False at the limit.
bool read_all(int descriptor, Clock::time_point end, std::string& into) {
  pollfd wait{descriptor, POLLIN, 0};
  for (;;) {
    const int ready = poll(&wait, 1, milliseconds_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char buffer[4096];
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got <= 0) return true;
    into.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(got), kMostOutput - into.size()));
  }
}

/// Whether it has ended by then: who closes its output may go on.
bool has_ended(pid_t child, Clock::time_point end, int& status) {
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    if (Clock::now() >= end) return false;
    usleep(2000);
  }
}

}  // namespace

std::string TriedCommand::first_line() const {
  const std::size_t begin = output.find_first_not_of("\r\n ");
  if (begin == std::string::npos) return "";
  return output.substr(begin, output.find_first_of("\r\n", begin) - begin);
}

std::string TriedCommand::trouble() const {
  const std::string line = first_line(), said = line.empty() ? "" : ": " + line;
  switch (end) {
    case End::not_found:
      return "is not on PATH, or cannot be run" + said;
    case End::timed_out:
      return fmt::format("did not answer within {:g} s", limit_seconds);
    case End::died:
      return fmt::format("ended by signal {}{}", status, said);
    case End::exited:
      break;
  }
  return fmt::format("ended with status {}{}", status, said);
}

TriedCommand try_command(const std::vector<std::string>& words, double limit_seconds) {
  TriedCommand tried;
  tried.limit_seconds = limit_seconds;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a group of its own, to be killed as a whole
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    if (failed != ENOENT) tried.output = std::strerror(failed);
    return tried;
  }
  const bool closed = read_all(ends[0], end, tried.output);
  close(ends[0]);
  int status = 0;
  if (!closed || !has_ended(child, end, status)) {
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    tried.end = TriedCommand::End::timed_out;
  } else if (WIFEXITED(status)) {
    tried.end = TriedCommand::End::exited;
    tried.status = WEXITSTATUS(status);
  } else {
    tried.end = TriedCommand::End::died;
    tried.status = WTERMSIG(status);
  }
  return tried;
}

}  // namespace tutti::cli
