#include "algos/patterns/pipelined_ring.hpp"

#include "algos/reduce_scatter/calls.hpp"

namespace tutti {
Task reduce_scatter_pipelined_ring(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  if (size == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  const Count pieces = segments_of_largest(call.blocks, call);
  const PipelinedRing ring(call.blocks, (rank - 1 + size) % size, pieces);
  const Count count = (size - 1) * pieces, last = count - pieces;  // from there on comes the own block
  // A sum keeps its place until it has gone on; those of the own block lie in `out`, but in place others' blocks do.
  const Count places = std::max<Count>(1, std::min(pieces + 2, call.in_place ? count : last));
  const View sums = comm.scratch(places * ring.longest());
  const auto sum = [=](Count i) {
    if (i >= last && !call.in_place) return piece_of(call.out, pieces, i - last);
    return sums.slice(i % places * ring.longest(), ring.piece(call.in, i + pieces).elements());
  };
  const auto what = [=](Count i) { return i < pieces ? ring.piece(call.in, i) : sum(i - pieces); };
  const auto take = [=](Comm of, Count i) {
    return of.recv_combine((rank - 1 + size) % size, sum(i), ring.piece(call.in, i + pieces), Incoming::left);
  };
  co_await send_around_ring(comm, count, pieces, what, take);
  for (Count i = last; i < count && call.in_place; ++i)
    co_await comm.wait(comm.copy(piece_of(call.out, pieces, i - last), sum(i)));
}

TUTTI_ALGORITHM(reduce_scatter, "pipelined_ring", reduce_scatter_pipelined_ring)
    .parameter("segment", 64 << 10, 0)
    .tried({8 << 10, 16 << 10, 32 << 10, 128 << 10, 1 << 20})
    .commutative()
    .rounds(reduce_scatter_ring_rounds, "(p-1)*segments of the largest block, less 1 of several")
    .messages(reduce_scatter_ring_messages, "p*(p-1)*segments of the largest block")
    .bytes("(p-1)*n")
    .cite("NCCL 2, src/device/reduce_scatter.h: recvReduceSend around the ring");

}  // namespace tutti
