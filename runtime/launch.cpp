#include "runtime/launch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "runtime/descendants.hpp"
#include "runtime/error.hpp"
#include "runtime/launch_channel.hpp"
#include "runtime/secret.hpp"
#include "runtime/signals.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;
// What is killed is gone after so long, unless the system does not let it go.
constexpr auto kEndsWithin = std::chrono::seconds(5);

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// Starts the ranks, and waits for them.
class Job {
 public:
  Job(int ranks, const Signals& signals, pid_t launcher, Clock::duration grace)
      : signals_(signals), launcher_(launcher), grace_(grace), ranks_(static_cast<std::size_t>(ranks)) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel_.data()) != 0)
      throw TeamError(std::string("no sockets: ") + std::strerror(errno));
    // A rank that leaves does not wait for long where nobody listens.
    const timeval soon{1, 0};
    setsockopt(channel_[1], SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
  }
  Job(const Job&) = delete;
  ~Job() {
    for (const int end : channel_) close(end);
  }

  void start(const std::vector<std::string>& command) {
    std::array<int, 2> complaints{};
    if (pipe2(complaints.data(), O_CLOEXEC) != 0) throw TeamError(std::string("no pipe: ") + std::strerror(errno));
    const pid_t self = getpid();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const pid_t process = fork();
      if (process == 0) become(command, rank, self, complaints[1]);
      if (process < 0) {
        const int error = errno;
        end_descendants(kEndsWithin);
        throw TeamError("rank " + std::to_string(rank) + " cannot be started: " + std::strerror(error));
      }
      ranks_[rank].process = process;
      ranks_[rank].is_running = true;
    }
    listener_ = {};  // rank 0's alone from now on
    close(complaints[1]);
    // Where all could become the program, the pipe closes without a word.
    int error = 0;
    const bool complains = read(complaints[0], &error, sizeof error) == sizeof error;
    close(complaints[0]);
    if (!complains) return;
    end_descendants(kEndsWithin);
    throw InputError(command.front() + ": cannot be started: " + std::strerror(error));
  }

  int wait() {
    std::size_t running = ranks_.size();
    while (running > 0 && getppid() == launcher_ && Clock::now() < end_) {
      const std::vector<std::size_t> ended = reap();
      while (const auto said = launch_channel::hear(channel_[0]))
        if (said->rank >= 0 && static_cast<std::size_t>(said->rank) < ranks_.size())
          ranks_[said->rank].membership = said->why;
      judge(ended);
      running -= ended.size();
      if (ended.empty()) rest();
    }
    if (!end_descendants(kEndsWithin))
      std::fprintf(stderr, "tutti: a process that the ranks have started does not end\n");
    if (!culprit_ && first_bad_) report(*first_bad_);
    const auto decides = culprit_ ? culprit_ : first_bad_;
    return decides ? status_of(ranks_[*decides].wait_status) : running > 0 ? 128 + SIGKILL : 0;
  }

 private:
  struct Member {
    pid_t process = 0;
    bool is_running = false;
    int wait_status = 0;
    std::optional<Rank> membership;  // as it said last; nothing: it has been in no team
  };

  /// In the child: becomes the program. Says through `complaint` why it could not.
  [[noreturn]] void become(const std::vector<std::string>& command, std::size_t rank, pid_t parent, int complaint) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it ended before the line above
    signals_.restore();
    setenv("TUTTI_RANK", std::to_string(rank).c_str(), 1);
    setenv("TUTTI_SIZE", std::to_string(ranks_.size()).c_str(), 1);
    setenv("TUTTI_MEETING", ("127.0.0.1:" + listener_.port()).c_str(), 1);
    setenv("TUTTI_SECRET", secret_.text().c_str(), 1);
    const auto inherit = [](const char* name, int descriptor) {
      setenv(name, std::to_string(descriptor).c_str(), 1);
      fcntl(descriptor, F_SETFD, 0);
    };
    inherit(launch_channel::kVariable, channel_[1]);
    unsetenv("TUTTI_MEETING_SOCKET");
    if (rank == 0) inherit("TUTTI_MEETING_SOCKET", listener_.descriptor());
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    const int error = errno;
    if (write(complaint, &error, sizeof error) < 0) _exit(127);
    _exit(127);
  }

  /// Those that have ended since this was called last; orphans of theirs are reaped with them.
  std::vector<std::size_t> reap() {
    std::vector<std::size_t> ended;
    int status = 0;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = std::find_if(ranks_.begin(), ranks_.end(),
                                      [&](const Member& m) { return m.is_running && m.process == process; });
      if (found == ranks_.end()) continue;
      found->is_running = false;
      found->wait_status = status;
      ended.push_back(static_cast<std::size_t>(found - ranks_.begin()));
    }
    return ended;
  }

  bool left_for_another(std::size_t rank) const {
    const auto& membership = ranks_[rank].membership;
    return membership && *membership >= 0 && static_cast<std::size_t>(*membership) != rank;
  }

  /// Who ended first in truth: the system does not tell in which order, but who leaves because another is lost says so
  /// before it ends. Of those that have said nothing, a signal explains more than a status.
  void judge(const std::vector<std::size_t>& ended) {
    std::optional<std::size_t> found;
    for (const std::size_t rank : ended) {
      const int status = ranks_[rank].wait_status;
      if (status == 0) {
        if (!ranks_[rank].membership) tell_others(rank);  // who waits for it to join waits in vain
        continue;
      }
      if (!first_bad_) first_bad_ = rank, end_ = std::min(end_, Clock::now() + grace_);
      if (!left_for_another(rank) && (!found || (WIFSIGNALED(status) && !WIFSIGNALED(ranks_[*found].wait_status))))
        found = rank;
    }
    if (culprit_ || !found) return;
    culprit_ = found;
    report(*found);
    tell_others(*found);
  }

  void tell_others(std::size_t rank) {
    using launch_channel::Membership;
    if (std::exchange(has_told_, true)) return;
    const Member& member = ranks_[rank];
    const bool has_left = member.membership == Membership::kLeavesInOrder;
    launch_channel::say(channel_[0], launch_channel::Obituary{static_cast<Rank>(rank), member.wait_status, has_left});
  }

  void report(std::size_t rank) const {
    const Member& member = ranks_[rank];
    const int status = member.wait_status, signal = WTERMSIG(status);
    std::string how = WIFSIGNALED(status)
                          ? "was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
                          : "ended with status " + std::to_string(WEXITSTATUS(status));
    if (left_for_another(rank)) how += ": it had lost rank " + std::to_string(*member.membership);
    std::fprintf(stderr, "tutti: rank %zu (process %d) %s\n", rank, member.process, how.c_str());
  }

  /// Until something has happened. Signals are passed on.
  void rest() {
    std::array<pollfd, 2> waited{{{signals_.descriptor(), POLLIN, 0}, {channel_[0], POLLIN, 0}}};
    const std::chrono::duration<double, std::milli> left = end_ - Clock::now();
    poll(waited.data(), waited.size(), static_cast<int>(std::clamp(left.count() + 1, 0.0, 1e6)));
    while (const int signal = signals_.next()) {
      for (const Member& member : ranks_)
        if (member.is_running) kill(member.process, signal);
      end_ = std::min(end_, Clock::now() + grace_);
    }
  }

  const Signals& signals_;
  const pid_t launcher_;
  const Clock::duration grace_;  // of those that still run
  const Secret secret_ = Secret::make();
  TcpSocket listener_ = TcpSocket::listen("127.0.0.1", "0");
  std::array<int, 2> channel_{};  // this process's end, and the ranks'
  std::vector<Member> ranks_;
  std::optional<std::size_t> first_bad_, culprit_;
  bool has_told_ = false;
  Clock::time_point end_ = Clock::time_point::max();  // of the grace
};

/// Passes signals on, and the status. Whatever happens to the keeper, nothing that it has started is left.
int stand_by(pid_t keeper, const Signals& signals) {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) != keeper;) {
    if (ended > 0) continue;
    pollfd waited{signals.descriptor(), POLLIN, 0};
    poll(&waited, 1, -1);
    while (const int signal = signals.next()) kill(keeper, signal);
  }
  end_descendants(kEndsWithin);
  return status_of(status);
}

}  // namespace

int launch(int ranks, const std::vector<std::string>& command, std::chrono::duration<double> grace) {
  const Signals signals;
  const pid_t launcher = getpid();
  adopt_orphans();
  const pid_t keeper = fork();
  if (keeper < 0) throw TeamError(std::string("no process can be started: ") + std::strerror(errno));
  if (keeper > 0) return stand_by(keeper, signals);
  // Where this one ends the other ends what is left, and the other way round. The signal wakes it.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  adopt_orphans();
  Job job(ranks, signals, launcher, std::chrono::duration_cast<Clock::duration>(grace));
  job.start(command);
  return job.wait();
}

}  // namespace tutti
