#include <algorithm>
#include <vector>

#include "algos/patterns/irregular.hpp"
#include "algos/patterns/unaliased_input.hpp"

namespace tutti {

Task alltoallv_scattered(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::int64_t limit = call.parameter("window");
  const int window = limit == 0 ? size : static_cast<int>(std::min<std::int64_t>(limit, size));
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  co_await comm.wait(comm.copy(call.incoming(rank), call.blocks.of(in, rank)));

  std::vector<Op> ops;
  for (int first = 0; first < size; first += window) {  // a batch of distances between ranks
    ops.clear();
    for (int away = std::max(1, first); away < std::min(size, first + window); ++away) {
      const Rank from = (rank + away) % size;
      if (const View block = call.incoming(from); !block.empty()) ops.push_back(comm.recv(from, block));
    }
    for (int away = std::max(1, first); away < std::min(size, first + window); ++away) {
      const Rank to = (rank - away + size) % size;
      if (const View block = call.blocks.of(in, to); !block.empty()) ops.push_back(comm.send(to, block));
    }
    co_await comm.wait(ops);
  }
}

namespace {
int window(const Facts& facts) { return static_cast<int>(std::min(facts["window"], facts["p"])); }
double least_windowed_rounds(const Facts& facts) { return least_rounds_in_batches(facts, window(facts)); }
double most_windowed_rounds(const Facts& facts) { return most_rounds_in_batches(facts, window(facts)); }
}  // namespace

TUTTI_ALGORITHM(alltoallv, "scattered", alltoallv_scattered)
    .parameter("window", 32, 0)
    .rounds_between(least_windowed_rounds, most_windowed_rounds,
                    "at least the most blocks of a rank in a batch of `window` distances, either way, at most twice "
                    "those of each batch less one")
    .messages(full_pairs, "one for each block that is not empty")
    .bytes(direct_bytes, "all blocks but those that stay")
    .cite(
        "MPICH, src/mpi/coll/alltoallv/alltoallv_intra_scattered.c (spread-out): window blocks at a time, none for "
        "what "
        "is empty")
    .deviates(
        "a rank copies its own block first, MPICH sends it to itself; in place, with equal counts, the input is copied "
        "to scratch memory first");

}  // namespace tutti
