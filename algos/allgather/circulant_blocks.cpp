#include "algos/patterns/all_broadcast.hpp"

namespace tutti {

Task allgather_circulant_blocks(Comm comm, Call call) {
  co_await comm.wait(comm.copy(call.block(comm.rank()), call.in));
  co_await all_broadcast(comm, call.out, call.blocks, segments_of_largest(call.blocks, call));
}

TUTTI_ALGORITHM(allgather, "circulant_blocks", allgather_circulant_blocks)
    .parameter("segment", 64 << 10, 0)
    .rounds(all_broadcast_rounds, "segments of the largest block - 1 + ceil_log(p,2)")
    .messages(all_broadcast_messages, "p for each round")
    .bytes("(p-1)*n")
    .cite(
        "Traeff: Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast, "
        "Reduction and All-Reduction, arXiv 2407.18004; Round-optimal n-Block Broadcast Schedules in Logarithmic "
        "Time, arXiv 2312.11236");

}  // namespace tutti
