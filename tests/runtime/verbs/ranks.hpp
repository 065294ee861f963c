#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/team.hpp"

namespace tutti {

/// Tests have no stranger to fear, but a job has a secret.
inline Meeting meeting_at(const char* host, const char* port) {
  return {host, port, -1, Secret::parse("000102030405060708090a0b0c0d0e0f")};
}

/// The main() of a test program PROGRAM TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a
/// thread each, from rank FIRST on. 0 if the body was well for all. `limit`: on every wait.
inline int run_ranks(int argc, char** argv, const std::function<void(Team&)>& body, Limit limit = Limit(100)) {
  if (argc != 7) return std::fprintf(stderr, "usage: %s TRANSPORTS RANKS FIRST COUNT HOST PORT\n", argv[0]), 2;
  setenv("TUTTI_POLLS", "1", 0);             // then they take a nap: nap.cpp
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a program that is killed has said how far it came
  const int size = std::atoi(argv[2]), first = std::atoi(argv[3]), count = std::atoi(argv[4]);
  TeamOptions options;
  options.transports = argv[1];
  options.limit = limit;
  std::atomic<bool> well = true;
  std::vector<std::thread> threads;
  for (Rank rank = first; rank < first + count; ++rank)
    threads.emplace_back([&, rank] {
      try {
        const auto begin = std::chrono::steady_clock::now();
        Team team(bootstrap_tcp(rank, size, meeting_at(argv[5], argv[6]), limit), options);
        body(team);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        if (rank == first)
          std::printf("%d ranks: all right in %.1f s, %s to the next\n", size, seconds.count(),
                      std::string(team.transport_to((rank + 1) % size)).c_str());
      } catch (const std::exception& error) {
        std::printf("rank %d: %s\n", rank, error.what());
        well = false;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return well ? 0 : 1;
}

}  // namespace tutti
