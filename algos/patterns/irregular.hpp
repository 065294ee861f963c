#pragma once

#include "algos/registry.hpp"

namespace tutti {

// What formulas of irregular collectives share.

/// Bytes that all ranks together send others in an alltoallv, each block on its way alone: block (from, to) counts
/// `hops((to - from) mod p)` times.
template <class Hops>
double pair_bytes(const Facts& facts, Hops hops) {
  const int p = static_cast<int>(facts["p"]);
  double elements = 0;
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to)
      elements += static_cast<double>(facts.count_from_to(from, to)) * hops((to - from + p) % p);
  return elements * facts["e"];
}
/// Each block once, none to the rank itself.
double direct_bytes(const Facts& facts);
/// Pairs of different ranks that have something for each other.
double full_pairs(const Facts& facts);
/// Of a gatherv or scatterv: all blocks but the root's, and each as many times as its rank has ancestors in the
/// binomial tree.
double bytes_of_others(const Facts& facts);
double bytes_up_binomial(const Facts& facts);
/// Of an allgatherv: all blocks but rank 0's to it, and all blocks to the others.
double bytes_by_way_of_first(const Facts& facts);
/// What alltoallv's messages that are posted at once, but for empty ones, in batches of `window` (0: one batch)
/// distances between ranks, take at least and at most: the most that a rank sends or gets in a batch, and twice as much
/// less one, since a message waits for the others of its sender and then for those of its receiver.
double least_rounds_in_batches(const Facts& facts, int window);
double most_rounds_in_batches(const Facts& facts, int window);

/// Into how many segments blocks are cut, an empty one into `of_empty`.
struct SegmentsOfBlocks {
  double sum = 0, fewest = 0;
};
SegmentsOfBlocks segments_of_blocks(const Facts& facts, double of_empty);
/// Rounds around a ring, where a rank passes on all blocks but its neighbour's.
double ring_segments(const Facts& facts, double of_empty);

}  // namespace tutti
