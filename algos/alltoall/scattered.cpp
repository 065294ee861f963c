#include <algorithm>
#include <vector>

#include "algos/patterns/unaliased_input.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_scattered(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::int64_t limit = call.parameter("window");
  const int window = limit == 0 ? size : static_cast<int>(std::min<std::int64_t>(limit, size));
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));

  std::vector<Op> ops;
  for (int first = 0; first < size; first += window) {  // a batch of blocks, the rank's own among the first
    const int end = std::min(size, first + window);
    ops.clear();
    for (int away = std::max(1, first); away < end; ++away) {
      const Rank from = (rank + away) % size;
      ops.push_back(comm.recv(from, call.incoming(from)));
    }
    if (first == 0) ops.push_back(comm.copy(call.incoming(rank), call.blocks.of(in, rank)));
    for (int away = std::max(1, first); away < end; ++away) {
      const Rank to = (rank - away + size) % size;
      ops.push_back(comm.send(to, call.blocks.of(in, to)));
    }
    co_await comm.wait(ops);
  }
}

TUTTI_ALGORITHM(alltoall, "scattered", alltoall_scattered)
    .parameter("window", 32, 0)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("MPICH, src/mpi/coll/alltoall/alltoall_intra_scattered.c, after a suggestion by Ladd")
    .deviates(
        "a rank copies its own block, MPICH sends it to itself; in place the input is copied to scratch memory first, "
        "where MPICH runs another algorithm");

}  // namespace tutti
