// collectives TRANSPORTS RANKS FIRST COUNT HOST PORT: COUNT ranks of RANKS in this process, a thread each, from rank
// FIRST on, run every algorithm over the transports and check the results. Ends with 0 if all were right.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/runtime/check_all.hpp"

int main(int argc, char** argv) {
  using namespace tutti;
  if (argc != 7) return std::fprintf(stderr, "usage: collectives TRANSPORTS RANKS FIRST COUNT HOST PORT\n"), 2;
  const int size = std::atoi(argv[2]), first = std::atoi(argv[3]), count = std::atoi(argv[4]);
  TeamOptions options;
  options.transports = argv[1];
  options.limit = Limit(100);
  std::atomic<bool> well = true;
  std::vector<std::thread> threads;
  for (Rank rank = first; rank < first + count; ++rank)
    threads.emplace_back([&, rank] {
      try {
        const auto begin = std::chrono::steady_clock::now();
        Team team(bootstrap_tcp(rank, size, {argv[5], argv[6], {}, -1}, Limit(100)), options);
        check_all(team, {{0, 1, 7001}, false, false, false});
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
