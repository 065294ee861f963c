#pragma once

#include <array>

#include "algos/patterns/segments.hpp"
#include "algos/registry.hpp"
#include "algos/task.hpp"

namespace tutti {

/// A ring in which blocks travel in pieces: each is combined with the rank's own as it arrives, while the one behind it
/// is under way, and goes on from where its sum is, so that no copy of the vector is made. Source: NCCL's rings
/// (recvReduceSend in src/device/all_reduce.h and reduce_scatter.h), which do so slice by slice.
class PipelinedRing {
 public:
  /// What a rank sends first is its block `first`, the same distance from the rank on every rank; then come, piece by
  /// piece, the blocks before it.
  PipelinedRing(const Blocks& blocks, int first, Count pieces) : blocks_(blocks), first_(first), pieces_(pieces) {}

  Count longest() const { return (blocks_.largest() + pieces_ - 1) / pieces_; }

  /// What goes as number i, of a vector; from so many on as a block has pieces it has come before, as number i less
  /// these.
  View piece(const View& vector, Count i) const {
    const int back = static_cast<int>(i / pieces_ % blocks_.parts);
    return piece_of(blocks_.of(vector, (first_ - back + blocks_.parts) % blocks_.parts), pieces_, i % pieces_);
  }

 private:
  Blocks blocks_;
  int first_;
  Count pieces_;
};

/// Counts of what goes `times` steps around the ring, in pieces by the parameter `segment`. The first two pieces leave
/// together.
struct RingCounts {
  RingCounts(const Facts& f, const Blocks& blocks, double times);
  double rounds, messages;
};
// Of a reduce-scatter.
double reduce_scatter_ring_rounds(const Facts& f);
double reduce_scatter_ring_messages(const Facts& f);

/// Sends what(i) to the right for each i below `count`, and takes what comes from the left by the receive that
/// take(comm, i) posts; at most two of each are under way. Blocks are cut into `pieces`. On more than one rank.
template <class What, class Take>
Task send_around_ring(Comm comm, Count count, Count pieces, What what, Take take) {
  const Rank right = (comm.rank() + 1) % comm.size();
  std::array<Op, 2> taken{}, sent{};
  for (Count i = 0; i < count; ++i) {
    // Of two ranks what comes now may lie where the piece before went from.
    if (i > 0 && pieces == 1 && comm.size() == 2) co_await comm.wait(sent[(i - 1) % 2]);
    taken[i % 2] = take(comm, i);
    if (i > 0 && pieces == 1) co_await comm.wait(taken[(i - 1) % 2]);  // that goes on at once
    sent[i % 2] = comm.send(right, what(i));
    if (i > 0) co_await comm.wait(taken[(i - 1) % 2], sent[(i - 1) % 2]);
  }
  co_await comm.wait(taken[(count - 1) % 2], sent[(count - 1) % 2]);
}

}  // namespace tutti
