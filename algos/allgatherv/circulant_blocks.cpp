#include "algos/patterns/all_broadcast.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "circulant_blocks", allgather_by_all_broadcast)
    .parameter("segment", 64 << 10, 0)
    .tried({8 << 10, 256 << 10})
    .rounds(all_broadcast_rounds, "segments of the largest block - 1 + ceil_log(p,2)")
    .messages(all_broadcast_messages, "a rank's for each round in which it has a segment to send that is not empty")
    .bytes("(p-1)*n")
    .cite(kAllBroadcast);

}  // namespace tutti
