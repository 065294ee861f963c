#pragma once

#include <cstdint>
#include <vector>

#include "algos/blocks.hpp"
#include "algos/patterns/tree.hpp"
#include "algos/registry.hpp"

namespace tutti {

// Bine ("binomial negabinary") trees and butterflies: De Sensi et al., Bine Trees, SC 2025 (arXiv 2508.17311). The
// partners of a step are 1, 1, 3, 5, 11, 21 … ranks apart, a third less than a power of two; even ranks look up and odd
// ones down, then the other way round. `size` is an even number of ranks, or 1.

/// The most ranks not above `size` that Bine patterns serve; what is left, if anything, is the last rank.
constexpr int bine_core(int size) { return size == 1 ? 1 : size - size % 2; }

/// Steps until one rank has reached all: ceil(log2(size)).
constexpr int bine_steps(int size) {
  int steps = 0;
  while ((std::int64_t{1} << steps) < size) ++steps;
  return steps;
}

/// How far above an even rank its partner of a step is, and below an odd one: 1, -1, 3, -5, 11 …
constexpr std::int64_t bine_distance(int step) {
  const std::int64_t power = std::int64_t{2} << step;
  return (1 + (step % 2 == 0 ? power : -power)) / 3;
}

/// The rank's partner in a step, whose partner the rank is.
constexpr Rank bine_peer(Rank rank, int step, int size) {
  const std::int64_t distance = bine_distance(step);
  return static_cast<Rank>(((rank % 2 == 0 ? rank + distance : rank - distance) % size + size) % size);
}

/// Of the steps 0, 1, 2 … or of those backwards.
enum class BineOrder : std::uint8_t { near_first, far_first };

/// In which step each rank hears from the first time of what rank 0 begins to pass on; -1 for rank 0 itself. In a step
/// whoever has heard tells its partner. Valid until the thread's next call.
const std::vector<std::int8_t>& bine_arrivals(int size, BineOrder order);

/// The tree by which virtual rank 0 tells all of any number of ranks, children in the order of steps. Where that number
/// is odd the last one is the root's last child.
Tree bine_tree(int size, int v, BineOrder order);

/// An allgather in far_first order: what comes to the rank in a step are the blocks of bine_block(rank, x, size) for
/// each x whose bine_arrivals are that step. Its partner has them by then, and the rank has not. Steps backwards, these
/// are what a reduce-scatter gives away.
constexpr Rank bine_block(Rank rank, Rank x, int size) {
  const int offset = x % 2 == 0 ? size - x : x;
  return (rank % 2 == 0 ? rank + offset : rank - offset + size) % size;
}

/// At a power of two: numbers by which a window of them halves with each step, in near_first order. Partners have the
/// two halves of one, and are both the first of theirs or neither.
int bine_number(Rank rank, int size);
Rank bine_rank_of(int number, int size);
/// The blocks of the ranks in the order of their numbers. `firsts` is filled where they differ in size, and must then
/// outlive what is returned.
Blocks bine_numbered(const Blocks& blocks, std::vector<Count>& firsts);

/// Along the line of negabinary numbers each subtree of the far_first tree is an interval: the place of its first rank,
/// how many there are, and the place of the subtree's root.
struct BineInterval {
  int first, ranks, own;
};
BineInterval bine_interval(int size, int v);
/// The virtual rank at a place of the line.
int bine_rank_at(int size, int place);
/// Bytes where the block of each rank travels along the tree between it and the root.
double bine_tree_bytes(const Facts& facts);

/// The near_first steps of a block's way to the rank `offset` away from it, as bits; on the way back to 0, so many
/// above.
int bine_way(int offset, int size);

}  // namespace tutti
