#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/tcp_socket.hpp"
#include "runtime/team.hpp"

/// Teams for tests: ranks that are threads of this process, or processes of their own.
namespace tutti {

/// Ends what hangs; ranks that have to wait for a core among many strangers do not.
inline constexpr Limit kTestLimit{60};

inline TeamOptions test_options() {
  TeamOptions options;
  options.limit = kTestLimit;
  return options;
}

/// Ranks that have a core each share it with other tests: who polls as long as on cores of their own uses up turns in
/// which others would come to what it waits for. As many as make a difference, and no more.
class FewerPolls {
 public:
  explicit FewerPolls(int ranks) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    here_ =
        sched_getaffinity(0, sizeof cores, &cores) == 0 && ranks <= CPU_COUNT(&cores) && !std::getenv("TUTTI_POLLS");
    if (here_) setenv("TUTTI_POLLS", "1024", 1);
  }
  ~FewerPolls() {
    if (here_) unsetenv("TUTTI_POLLS");
  }
  FewerPolls(const FewerPolls&) = delete;

 private:
  bool here_ = false;
};

/// Every rank's trouble, empty where it was well. Each rank has options of its own.
inline std::vector<std::string> on_threads_each(int ranks, const std::function<void(Team&)>& body,
                                                const std::function<TeamOptions(Rank)>& options_of) {
  const FewerPolls fewer(ranks);
  std::vector<std::string> trouble(static_cast<std::size_t>(ranks));
  auto bootstraps = bootstrap_threads(ranks, kTestLimit);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < trouble.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        Team team(std::move(bootstraps[r]), options_of(static_cast<Rank>(r)));
        body(team);
      } catch (const std::exception& error) {
        trouble[r] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return trouble;
}
inline std::vector<std::string> on_threads(int ranks, const std::function<void(Team&)>& body,
                                           const TeamOptions& options = test_options()) {
  return on_threads_each(ranks, body, [&](Rank) { return options; });
}

/// Forks; each process writes its trouble into a pipe. "killed" where a signal ended it.
inline std::vector<std::string> on_processes(int ranks, const std::function<void(Team&)>& body,
                                             const TeamOptions& options = test_options()) {
  const FewerPolls fewer(ranks);
  const TcpSocket listener = TcpSocket::listen("127.0.0.1", "0");
  const Secret secret = Secret::make();
  std::vector<pid_t> processes;
  std::vector<int> pipes;
  for (Rank r = 0; r < ranks; ++r) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t process = fork();
    if (process == 0) {
      std::string trouble;
      try {
        Meeting meeting{"127.0.0.1", listener.port(), r == 0 ? dup(listener.descriptor()) : -1, secret};
        Team team(bootstrap_tcp(r, ranks, meeting, kTestLimit), options);
        body(team);
      } catch (const std::exception& error) {
        trouble = error.what();
      }
      if (write(ends[1], trouble.data(), trouble.size()) < 0) _exit(9);
      _exit(0);
    }
    ::close(ends[1]);
    processes.push_back(process);
    pipes.push_back(ends[0]);
  }
  std::vector<std::string> trouble;
  for (std::size_t r = 0; r < processes.size(); ++r) {
    std::string text;
    char bytes[512];
    for (ssize_t n; (n = read(pipes[r], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<std::size_t>(n));
    ::close(pipes[r]);
    int status = 0;
    waitpid(processes[r], &status, 0);
    trouble.push_back(WIFSIGNALED(status) ? "killed" : text);
  }
  return trouble;
}

inline void expect_well(const std::vector<std::string>& trouble) {
  for (std::size_t r = 0; r < trouble.size(); ++r) EXPECT_EQ(trouble[r], "") << "rank " << r;
}

}  // namespace tutti
