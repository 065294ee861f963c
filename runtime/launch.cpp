#include "runtime/launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "algos/error.hpp"
#include "runtime/error.hpp"
#include "runtime/secret.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(5);

volatile sig_atomic_t g_interrupt = 0;
void remember(int signal) { g_interrupt = signal; }

/// In the child: becomes the program. Says through `complaint` why it could not.
[[noreturn]] void become(const std::vector<std::string>& command, int rank, int ranks, const TcpSocket& door,
                         const Secret& secret, pid_t launcher, int complaint) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(1);  // it ended before the line above
  setenv("TUTTI_RANK", std::to_string(rank).c_str(), 1);
  setenv("TUTTI_SIZE", std::to_string(ranks).c_str(), 1);
  setenv("TUTTI_MEETING", ("127.0.0.1:" + door.port()).c_str(), 1);
  setenv("TUTTI_SECRET", secret.text().c_str(), 1);
  unsetenv("TUTTI_MEETING_SOCKET");
  if (rank == 0) {
    setenv("TUTTI_MEETING_SOCKET", std::to_string(door.descriptor()).c_str(), 1);
    fcntl(door.descriptor(), F_SETFD, 0);
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(complaint, &error, sizeof error) < 0) _exit(127);
  _exit(127);
}

/// Where all children could start, the pipe closes without a word.
int first_complaint(int pipe) {
  int error = 0;
  return read(pipe, &error, sizeof error) == sizeof error ? error : 0;
}

void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t process : processes)
    if (process > 0) kill(process, signal);
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void report(int rank, pid_t process, int wait_status) {
  if (WIFSIGNALED(wait_status))
    std::fprintf(stderr, "tutti: rank %d (process %d) was ended by signal %d (%s)\n", rank, process,
                 WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
  else
    std::fprintf(stderr, "tutti: rank %d (process %d) ended with status %d\n", rank, process, WEXITSTATUS(wait_status));
}

int wait_for_all(std::vector<pid_t>& processes) {
  int result = 0, forwarded = 0;
  Clock::time_point killed_at = Clock::time_point::max();
  for (std::size_t running = processes.size(); running > 0;) {
    if (g_interrupt != 0 && forwarded != g_interrupt) {
      forwarded = g_interrupt;
      signal_all(processes, forwarded);
      killed_at = std::min(killed_at, Clock::now() + kGrace);
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended <= 0) {
      if (Clock::now() > killed_at) signal_all(processes, SIGKILL), killed_at = Clock::time_point::max();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
      if (processes[rank] != ended) continue;
      processes[rank] = 0;
      --running;
      if (status == 0) continue;
      if (result == 0) {
        result = status_of(status);
        killed_at = std::min(killed_at, Clock::now() + kGrace);
        report(static_cast<int>(rank), ended, status);
      }
    }
  }
  return result;
}

}  // namespace

int launch(int ranks, const std::vector<std::string>& command) {
  TcpSocket door = TcpSocket::listen("127.0.0.1", "0");
  const Secret secret = Secret::make();
  std::array<int, 2> complaints{};
  if (pipe2(complaints.data(), O_CLOEXEC) != 0) throw TeamError(std::string("no pipe: ") + std::strerror(errno));
  struct sigaction action {};
  action.sa_handler = remember;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  std::vector<pid_t> processes;
  const pid_t launcher = getpid();
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0) become(command, rank, ranks, door, secret, launcher, complaints[1]);
    if (process < 0) {
      signal_all(processes, SIGKILL);
      throw TeamError("rank " + std::to_string(rank) + " cannot be started: " + std::strerror(errno));
    }
    processes.push_back(process);
  }
  door = {};  // rank 0's alone from now on
  close(complaints[1]);
  const int error = first_complaint(complaints[0]);
  close(complaints[0]);
  if (error != 0) {
    signal_all(processes, SIGKILL);
    throw InputError(command.front() + ": cannot be started: " + std::strerror(error));
  }
  return wait_for_all(processes);
}

}  // namespace tutti
