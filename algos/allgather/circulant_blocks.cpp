#include "algos/patterns/all_broadcast.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgather, "circulant_blocks", allgather_by_all_broadcast)
    .parameter("segment", 64 << 10, 0)
    .rounds(all_broadcast_rounds, "segments of the largest block - 1 + ceil_log(p,2)")
    .messages(all_broadcast_messages, "p for each round")
    .bytes("(p-1)*n")
    .cite(kAllBroadcast);

}  // namespace tutti
