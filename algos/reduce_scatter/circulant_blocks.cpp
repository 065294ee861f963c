#include "algos/patterns/all_broadcast.hpp"

namespace tutti {

Task reduce_scatter_circulant_blocks(Comm comm, Call call) {
  const View sum = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await all_reduction(comm, sum, call.blocks, segments_of_largest(call.blocks, call));
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, comm.rank())));
}

TUTTI_ALGORITHM(reduce_scatter, "circulant_blocks", reduce_scatter_circulant_blocks)
    .parameter("segment", 64 << 10, 0)
    .commutative()
    .rounds(all_broadcast_rounds, "segments of the largest block - 1 + ceil_log(p,2)")
    .messages(all_broadcast_messages,
              "one of a rank for each round in which it has a segment to send, not an empty one")
    .bytes("(p-1)*n")
    .cite(kAllBroadcast);

}  // namespace tutti
