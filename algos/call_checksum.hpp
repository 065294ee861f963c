#pragma once

#include "algos/block_counts.hpp"
#include "algos/neighborhood.hpp"
#include "base/checksum.hpp"

namespace tutti {

// All of what is given of calls besides their sizes, of which texts for people leave some out.

inline void add(Checksum& sum, const Neighborhood& neighborhood) {
  if (const auto& grid = neighborhood.grid()) {
    for (const int extent : grid->extents) sum.add(extent);
    for (const Grid::Coordinates& offset : grid->offsets)
      for (const int x : offset) sum.add(x);
  }
  for (Rank rank = 0; rank < neighborhood.ranks(); ++rank)
    for (const Neighbor& target : neighborhood.targets(rank)) sum.add(target.rank).add(target.slot);
}

inline void add(Checksum& sum, const BlockCounts& counts) {
  sum.add(counts.ranks()).add(counts.of_pairs());
  for (Rank from = 0; from < counts.ranks(); ++from) {
    if (counts.of_neighbors())
      for (int i = 0; i < counts.exchange(from).sent.parts; ++i) sum.add(counts.exchange(from).sent.count(i));
    else if (!counts.of_pairs())
      sum.add(counts.blocks().count(from));
    for (Rank to = 0; counts.of_pairs() && to < counts.ranks(); ++to) sum.add(counts.from_to(from, to));
  }
}

}  // namespace tutti
