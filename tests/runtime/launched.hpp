#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/runtime/teams.hpp"

namespace tutti {

/// Runs a rank in a process of its own with these variables and no others of any launcher; its trouble, or the signal
/// or status that ended it.
inline std::vector<std::string> launched(const std::vector<std::map<std::string, std::string>>& environments,
                                         const std::function<void(Bootstrap&)>& body, Limit limit = kTestLimit) {
  std::vector<std::string> trouble(environments.size());
  std::vector<std::pair<pid_t, int>> started;
  for (const auto& environment : environments) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t process = fork();
    if (process == 0) {
      clearenv();
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      std::string text;
      try {
        body(*bootstrap_from_environment(limit));
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (write(ends[1], text.data(), text.size()) < 0) _exit(9);
      _exit(0);
    }
    ::close(ends[1]);
    started.push_back({process, ends[0]});
  }
  for (std::size_t r = 0; r < started.size(); ++r) {
    char bytes[1024];
    for (ssize_t n; (n = read(started[r].second, bytes, sizeof bytes)) > 0;)
      trouble[r].append(bytes, static_cast<std::size_t>(n));
    ::close(started[r].second);
    int status = 0;
    waitpid(started[r].first, &status, 0);
    if (WIFSIGNALED(status)) trouble[r] += "ended by signal " + std::to_string(WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
      trouble[r] += "ended with status " + std::to_string(WEXITSTATUS(status));
  }
  return trouble;
}

/// What a rank of a job that has met well can do.
inline void exchange(Bootstrap& bootstrap) {
  for (int round = 0; round < 3; ++round) {
    const auto all = bootstrap.allgather(std::string(static_cast<std::size_t>(bootstrap.rank() * 1000), 'x'));
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r].size() != r * 1000) throw std::runtime_error("wrong text of rank " + std::to_string(r));
  }
  bootstrap.barrier();
}

}  // namespace tutti
