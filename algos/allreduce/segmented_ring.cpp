#include <algorithm>
#include <cmath>

#include "algos/patterns/ring.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// How many times the reduction goes around: one more where the remainder fills more than half a round of segments.
Count phases_of(Count elements, int ranks, Count segment) {
  const Count at_once = ranks * segment, rest = elements % at_once;
  return elements / at_once + (rest >= ranks && rest > at_once / 2 ? 1 : 0);
}

/// Said without what the algorithm counts by: to the nearest, half a round down, and segments of one element leave no
/// rest that would fill a segment of every rank.
double phases(const Facts& f) {
  const double segment = std::max(1.0, std::floor(f["segment"] / f["e"])), times = f["c"] / (f["p"] * segment);
  return segment == 1 ? std::floor(times) : std::ceil(times - 0.5);
}

double segmented_rounds(const Facts& f) { return (f["p"] - 1) * (phases(f) + 1); }
double segmented_messages(const Facts& f) { return f["p"] * segmented_rounds(f); }

}  // namespace

Task allreduce_segmented_ring(Comm comm, Call call) {
  const Count elements = call.out.elements();
  const Blocks blocks = Blocks::split(elements, comm.size());
  const Count phases = phases_of(elements, comm.size(), call.segment_elements(elements));
  co_await comm.wait(comm.copy(call.out, call.in));
  for (Count phase = 0; phase < phases; ++phase)
    co_await reduce_around_ring(comm, call.out, blocks, comm.rank(), phases, phase);
  co_await collect_around_ring(comm, call.out, blocks, (comm.rank() + 1) % comm.size());
}

TUTTI_ALGORITHM(allreduce, "segmented_ring", allreduce_segmented_ring)
    .parameter("segment", 1 << 20, 0)
    .commutative()
    .fallback("segment == 0 || c < p*max(1, floor(segment/e))", "ring")
    .rounds(segmented_rounds, "(p-1)*(phases+1), phases = c/(p*segment elements) rounded to the nearest")
    .messages(segmented_messages, "p*(p-1)*(phases+1), phases = c/(p*segment elements) rounded to the nearest")
    .bytes("2*(p-1)*n")
    .cite("Pjesivac-Grbovic: Towards Automatic and Adaptive Optimizations of MPI Collective Operations, 2007")
    .deviates(
        "Open MPI's default is no segmentation (0), which is the ring; here the segment of its older fixed rules, 1 "
        "MiB");

}  // namespace tutti
