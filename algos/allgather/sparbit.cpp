#include <bit>
#include <vector>

#include "algos/registry.hpp"

namespace tutti {

Task allgather_sparbit(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  co_await comm.wait(comm.copy(call.block(rank), call.in));

  // Distances halve, far first. Of the blocks that doubling would move, the last is left out at the distances in
  // `skips`, where it would come round to a rank that has it.
  const auto p = static_cast<unsigned>(size);
  const int zeros = std::countr_zero(p);
  const unsigned skips = (~(p >> zeros) | 1u) << zeros;
  int held = 1;
  std::vector<Op> ops;
  for (int distance = static_cast<int>(std::bit_ceil(p) / 2); distance > 0; distance /= 2) {
    const int skip = (static_cast<unsigned>(distance) & skips) != 0 ? 1 : 0;
    ops.clear();
    for (int i = 0; i < held - skip; ++i) {
      const int sent = (rank - 2 * i * distance % size + size) % size;
      ops.push_back(comm.send((rank + distance) % size, call.block(sent)));
      ops.push_back(comm.recv((rank - distance + size) % size, call.block((sent - distance + size) % size)));
    }
    co_await comm.wait(ops);
    held = 2 * held - skip;
  }
}

TUTTI_ALGORITHM(allgather, "sparbit", allgather_sparbit)
    .rounds("ceil_log(p,2)")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite(
        "Loch, Koslovski: Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm, SBAC-PAD "
        "2021");

}  // namespace tutti
