#include "calibration/in_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace tutti {
namespace {

// What says that the answer is whole.
constexpr char kEnd = '\0';

[[noreturn]] void be_child(int to_parent, unsigned limit_seconds, const std::function<std::string()>& work) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGALRM, SIG_DFL);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, nullptr);
  alarm(limit_seconds);
  const std::string answer = work() + kEnd;
  for (std::size_t done = 0; done < answer.size();) {
    const ssize_t written = write(to_parent, answer.data() + done, answer.size() - done);
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string("cannot make a process: ") + what + ": " + std::strerror(errno));
}

}  // namespace

std::optional<std::string> in_child(unsigned limit_seconds, const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], limit_seconds, work);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    fail("fork");
  }
  std::string answer;
  char buffer[4096];
  for (ssize_t got = 1; got != 0;) {
    got = read(ends[0], buffer, sizeof buffer);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) answer.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  if (answer.empty() || answer.back() != kEnd) return std::nullopt;
  answer.pop_back();
  return answer;
}

}  // namespace tutti
