#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "algos/task.hpp"
#include "tests/runtime/teams.hpp"

namespace {
std::atomic<bool> g_refuse_to_watch = false;
}

/// In place of the C library's, so that it can be made to fail.
extern "C" int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  if (g_refuse_to_watch && operation == EPOLL_CTL_ADD) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<int>(syscall(SYS_epoll_ctl, epoll, operation, descriptor, event));
}

namespace tutti {
namespace {

TeamOptions plain_tcp() {
  TeamOptions options = test_options();
  options.transports = "tcp";
  return options;
}

/// So long do ranks wait for an answer, within the scope.
struct Seconds {
  explicit Seconds(const char* seconds) { setenv("TUTTI_TCP_SECONDS", seconds, 1); }
  ~Seconds() { unsetenv("TUTTI_TCP_SECONDS"); }
};

TEST(Tcp, AKilledRankIsNamedByAllThoughFewHaveAConnectionToIt) {
  const auto trouble = on_processes(
      5,
      [](Team& team) {
        std::vector<int> data(10'000, 1);
        for (int i = 0;; ++i) {
          team.run(calls::allreduce(data, Predefined::maximum).with("ring"));
          if (team.rank() == 2 && i == 3) raise(SIGKILL);
        }
      },
      plain_tcp());
  EXPECT_EQ(trouble[2], "killed");
  for (const std::size_t survivor : {0u, 1u, 3u, 4u})
    EXPECT_NE(trouble[survivor].find("rank 2 is lost: "), std::string::npos) << trouble[survivor];
}

TEST(Tcp, ARankThatEndsBeforeItSaysAnythingIsNamed) {
  const auto begun = std::chrono::steady_clock::now();
  const auto trouble = on_processes(
      3,
      [](Team& team) {
        if (team.rank() == 1) raise(SIGKILL);
        std::vector<int> data(10);
        team.run(calls::bcast(data, 1).with("linear"));
      },
      plain_tcp());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
  for (const std::size_t survivor : {0u, 2u})
    EXPECT_NE(trouble[survivor].find("rank 1 is lost: "), std::string::npos) << trouble[survivor];
}

Task nobody_but_three_sends(Comm comm, Call call) {
  if (comm.rank() == 3) co_await comm.wait(comm.send(1, call.out));
  if (comm.rank() < 2) co_await comm.wait(comm.recv(comm.rank() == 1 ? 2 : 3, call.out));
}

TEST(Tcp, ARankThatFirstCallsOneThatHasLeftNamesTheLostOne) {
  const auto trouble = on_processes(
      4,
      [](Team& team) {
        if (team.rank() == 2) raise(SIGKILL);
        if (team.rank() == 3) std::this_thread::sleep_for(std::chrono::seconds(1));
        std::vector<int> data(10);
        team.run(calls::bcast(data, 0).by(nobody_but_three_sends));
      },
      plain_tcp());
  for (const std::size_t survivor : {0u, 1u, 3u})
    EXPECT_NE(trouble[survivor].find("rank 2 is lost: "), std::string::npos) << trouble[survivor];
}

TEST(Tcp, ARankThatComputesForLongIsNotTakenForLost) {
  const Seconds seconds("1");
  expect_well(on_threads(
      2,
      [](Team& team) {
        std::vector<int> data(20'000'000, team.rank());
        Request request = team.start(calls::bcast(data, 0).with("linear"));
        if (team.rank() == 1) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
          while (std::chrono::steady_clock::now() < end) request.test();
          std::this_thread::sleep_for(std::chrono::seconds(4));
        }
        request.wait();
        if (data.back() != 0) throw std::runtime_error("wrong data");
      },
      plain_tcp()));
}

TEST(Tcp, ALastMessageArrivesHoweverSoonItsSenderLeaves) {
  expect_well(on_processes(
      3,
      [](Team& team) {
        std::vector<int> data(14'000, team.rank());
        for (int i = 0; i < 100; ++i) {
          Request request = team.start(calls::bcast(data, 0).with("linear"));
          if (team.rank() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(i == 99 ? 300 : 1));
          request.wait();
        }
        if (data[7] != 0) throw std::runtime_error("wrong data");
      },
      plain_tcp()));
}

TEST(Tcp, AConnectionThatCannotBeWatchedEndsTheTeam) {
  std::barrier both(2);
  const auto trouble = on_threads(
      2,
      [&](Team& team) {
        both.arrive_and_wait();
        g_refuse_to_watch = true;
        team.barrier();
      },
      plain_tcp());
  g_refuse_to_watch = false;
  EXPECT_EQ(trouble[0], "rank 0: tcp: a connection cannot be watched: No space left on device");
  EXPECT_NE(trouble[1], "");
}

TEST(Tcp, AConnectionThatCannotBeAcceptedEndsTheTeam) {
  const auto trouble = on_processes(
      2,
      [&](Team& team) {
        std::vector<int> data(10);
        if (team.rank() == 1) {
          const rlimit limit{64, 64};
          if (setrlimit(RLIMIT_NOFILE, &limit) != 0) throw std::runtime_error("no limit");
          while (dup(0) >= 0) {
          }
        }
        team.run(calls::bcast(data, 0).with("linear"));
        team.run(calls::bcast(data, 1).with("linear"));
      },
      plain_tcp());
  EXPECT_EQ(trouble[1], "rank 1: tcp: a connection cannot be accepted: Too many open files");
  EXPECT_NE(trouble[0].find("rank 1 "), std::string::npos) << trouble[0];
}

TEST(Tcp, SettingsThatMakeNoSenseAreRefused) {
  for (const auto& [variable, value] : {std::pair("TUTTI_TCP_SECONDS", "0"),
                                        {"TUTTI_TCP_EAGER_BYTES", "many"},
                                        {"TUTTI_POLLS", "0"},
                                        {"TUTTI_TCP_INTERFACE", "nowhere"}}) {
    setenv(variable, value, 1);
    for (const std::string& trouble : on_threads(
             2, [](Team& team) { team.barrier(); }, plain_tcp()))
      EXPECT_NE(trouble.find(variable), std::string::npos) << trouble;
    unsetenv(variable);
  }
}

}  // namespace
}  // namespace tutti
