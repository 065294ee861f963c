// flood: how fast a team of two goes on over TCP on this host while a thousand strangers a second connect to one of its
// ranks, beside the same while they connect to somebody else. Slices of the two in turn, so that nothing else that this
// machine does is taken for them. Prints the ratio; 0 where it is at least 0.95 in one of up to ten tries and neither
// rank has grown.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/tcp_socket.hpp"
#include "runtime/team.hpp"

namespace {

using namespace tutti;
using Clock = std::chrono::steady_clock;

constexpr int kStrangersPerSecond = 1000, kSlices = 40, kTries = 10;
constexpr std::chrono::milliseconds kSlice(60);

/// What the processes share.
struct Shared {
  std::atomic<int> rank_port{0}, other_port{0}, target{0}, come{0};
};

/// Every second one is silent and stays for a while; the others say something.
[[noreturn]] void be_strangers(Shared& shared, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  std::vector<TcpSocket> silent;
  for (auto next = Clock::now();; next += std::chrono::microseconds(1'000'000 / kStrangersPerSecond)) {
    std::this_thread::sleep_until(next);
    TcpSocket one =
        TcpSocket::connect("127.0.0.1", std::to_string(shared.target), Clock::now() + std::chrono::seconds(5));
    if (!one.is_open()) continue;
    ++shared.come;
    if (shared.come % 2 == 0) {
      [[maybe_unused]] const auto sent =
          send(one.descriptor(), "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else if (silent.push_back(std::move(one)); silent.size() > 200) {
      silent.erase(silent.begin(), silent.begin() + 100);
    }
  }
}

/// Who takes in whoever comes, and sends him away.
[[noreturn]] void be_somebody_else(const TcpSocket& listener, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int came; (came = accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) close(came);
  }
}

/// Of the only socket of this process at which somebody may connect, beside `listener`.
int listening_port(int listener) {
  for (int descriptor = 255; descriptor >= 0; --descriptor) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (descriptor != listener && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
      return std::atoi(TcpSocket(dup(descriptor)).port().c_str());
  }
  return 0;
}

long memory_kilobytes() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

/// Calls in one slice, as rank 0 counts them.
int calls_in_a_slice(Team& team) {
  int calls = 0;
  const auto end = Clock::now() + kSlice;
  for (std::vector<int> over(1); over[0] == 0; ++calls) {
    over[0] = team.rank() == 0 && Clock::now() >= end;
    team.run(calls::allreduce(over, Predefined::maximum).with("recursive_doubling"));
  }
  return calls;
}

int run_rank(Rank rank, const Meeting& meeting, Shared& shared) try {
  TeamOptions options;
  options.transports = "tcp";
  options.limit = Limit(60);
  Team team(bootstrap_tcp(rank, 2, meeting, Limit(60)), options);
  team.barrier();
  if (rank == 0) shared.rank_port = listening_port(-1);
  while (shared.rank_port == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  calls_in_a_slice(team);
  const long before = memory_kilobytes();
  double best = 0;
  for (int attempt = 0; attempt < kTries && best < 0.95; ++attempt) {
    std::vector<double> ratios;
    const int come = shared.come;
    for (int slice = 0; slice < kSlices; ++slice) {
      const bool first_among_strangers = slice % 2 == 0;
      int calls[2];
      for (const bool second : {false, true}) {
        const bool among_strangers = second != first_among_strangers;
        shared.target = among_strangers ? shared.rank_port.load() : shared.other_port.load();
        calls[among_strangers] = calls_in_a_slice(team);
      }
      ratios.push_back(static_cast<double>(calls[1]) / calls[0]);
    }
    std::nth_element(ratios.begin(), ratios.begin() + kSlices / 2, ratios.end());
    std::vector<int> ratio{static_cast<int>(1e6 * ratios[kSlices / 2])};
    team.run(calls::bcast(ratio, 0));
    best = std::max(best, ratio[0] / 1e6);
    if (rank == 0) std::printf("%.3f of its speed among %d strangers\n", ratio[0] / 1e6, (shared.come - come) / 2);
  }
  const long grown = memory_kilobytes() - before;
  std::printf("rank %d has grown by %ld KiB\n", rank, grown);
  return best >= 0.95 && grown < 2048 ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("rank %d: %s\n", rank, error.what());
  return 1;
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto& shared = *new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  const pid_t parent = getpid();
  TcpSocket other = TcpSocket::listen("127.0.0.1", "0"), listener = TcpSocket::listen("127.0.0.1", "0");
  shared.other_port = std::atoi(other.port().c_str());
  shared.target = shared.other_port.load();
  std::vector<pid_t> helpers{fork()};
  if (helpers.back() == 0) be_somebody_else(other, parent);
  helpers.push_back(fork());
  if (helpers.back() == 0) be_strangers(shared, parent);
  other = {};
  const Secret secret = Secret::make();
  int status = 0;
  std::vector<pid_t> ranks;
  for (const Rank rank : {0, 1}) {
    ranks.push_back(fork());
    if (ranks.back() != 0) continue;
    Meeting meeting{"127.0.0.1", listener.port(), rank == 0 ? dup(listener.descriptor()) : -1, secret};
    listener = {};
    std::_Exit(run_rank(rank, meeting, shared));
  }
  listener = {};
  for (const pid_t rank : ranks) {
    int ended = 0;
    waitpid(rank, &ended, 0);
    if (ended != 0) status = 1;
  }
  for (const pid_t helper : helpers) kill(helper, SIGKILL), waitpid(helper, nullptr, 0);
  return status;
}
