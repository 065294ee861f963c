#include "algos/patterns/pipelined_ring.hpp"

namespace tutti {

RingCounts::RingCounts(const Facts& f, const Blocks& blocks, double times) {
  const Count pieces = segments_of_largest(blocks, f);
  bool has_empty_pieces = false;
  for (int i = 0; i < blocks.parts; ++i) has_empty_pieces |= blocks.count(i) < pieces;
  const double of_a_rank = times * static_cast<double>(pieces);
  messages = f["p"] * of_a_rank;
  most_rounds = of_a_rank - (pieces > 1 && times > 0 ? 1 : 0);
  least_rounds = has_empty_pieces ? std::min(times, 1.0) : most_rounds;
}

namespace {

RingCounts of_reduce_scatter(const Facts& f) { return {f, f.blocks(), f["p"] - 1}; }

}  // namespace

double reduce_scatter_ring_least_rounds(const Facts& f) { return of_reduce_scatter(f).least_rounds; }
double reduce_scatter_ring_most_rounds(const Facts& f) { return of_reduce_scatter(f).most_rounds; }
double reduce_scatter_ring_messages(const Facts& f) { return of_reduce_scatter(f).messages; }

}  // namespace tutti
