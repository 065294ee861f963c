#include "algos/patterns/pipelined_ring.hpp"

#include "algos/registry.hpp"

namespace tutti {
namespace {

RingCounts ring_counts(const Facts& f) {
  return {f, Blocks::split(static_cast<Count>(f["c"]), static_cast<int>(f["p"])), 2 * (f["p"] - 1)};
}
double ring_rounds(const Facts& f) { return ring_counts(f).rounds; }
double ring_messages(const Facts& f) { return ring_counts(f).messages; }

}  // namespace

Task allreduce_pipelined_ring(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  if (size == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  const Blocks blocks = Blocks::split(call.out.elements(), size);
  const Count pieces = segments_of_largest(blocks, call);
  const PipelinedRing ring(blocks, rank, pieces);
  const Count complete = (size - 1) * pieces;  // from there on sums are
  const auto what = [=](Count i) { return ring.piece(i < pieces ? call.in : call.out, i); };
  const auto take = [=](Comm of, Count i) {
    const Rank left = (rank - 1 + size) % size;
    const View into = ring.piece(call.out, i + pieces), own = ring.piece(call.in, i + pieces);
    return i < complete ? of.recv_combine(left, into, own, Incoming::left) : of.recv(left, into);
  };
  co_await send_around_ring(comm, 2 * complete, pieces, what, take);
}

TUTTI_ALGORITHM(allreduce, "pipelined_ring", allreduce_pipelined_ring)
    .parameter("segment", 64 << 10, 0)
    .tried({8 << 10, 16 << 10, 32 << 10, 128 << 10, 1 << 20})
    .commutative()
    .fallback("c < p", "recursive_doubling")
    .rounds(ring_rounds, "2*(p-1)*segments of the largest block, less 1 of several")
    .messages(ring_messages, "2*p*(p-1)*segments of the largest block")
    .bytes("2*(p-1)*n")
    .cite("NCCL 2, src/device/all_reduce.h: recvReduceSend, then recvCopySend, around the ring");

}  // namespace tutti
