#include "algos/patterns/pipelined_ring.hpp"

#include "algos/reduce_scatter/calls.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "pipelined_ring", reduce_scatter_pipelined_ring)
    .parameter("segment", 64 << 10, 0)
    .tried({8 << 10, 16 << 10, 32 << 10, 128 << 10, 1 << 20})
    .commutative()
    .rounds(reduce_scatter_ring_rounds, "(p-1)*segments of a block, less 1 of several")
    .messages(reduce_scatter_ring_messages, "p*(p-1)*segments of a block")
    .bytes("(p-1)*n")
    .cite("NCCL 2, src/device/reduce_scatter.h: recvReduceSend around the ring");

}  // namespace tutti
