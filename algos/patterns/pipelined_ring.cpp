#include "algos/patterns/pipelined_ring.hpp"

namespace tutti {

RingCounts::RingCounts(const Facts& f, const Blocks& blocks, double times) {
  const Count pieces = segments_of_largest(blocks, f);
  const double of_a_rank = times * static_cast<double>(pieces);
  messages = f["p"] * of_a_rank;
  rounds = of_a_rank - (pieces > 1 && times > 0 ? 1 : 0);
}

namespace {

RingCounts of_reduce_scatter(const Facts& f) { return {f, f.blocks(), f["p"] - 1}; }

}  // namespace

double reduce_scatter_ring_rounds(const Facts& f) { return of_reduce_scatter(f).rounds; }
double reduce_scatter_ring_messages(const Facts& f) { return of_reduce_scatter(f).messages; }

}  // namespace tutti
