#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algos/view.hpp"

namespace tutti {

/// A rank's place in a spanning tree: its parent (-1: the root) and its children in the order in which they are served.
struct Tree {
  Rank parent = -1;
  std::vector<Rank> children;
};

// Shapes. `v` is a virtual rank, 0..size-1, and 0 is the root unless said otherwise.

/// min(fanout, size-1) chains below the root, of consecutive ranks; the first ones are one longer where they differ.
Tree chain_tree(int size, int v, int fanout);

/// Level by level, ranks numbered across: the children of v are v + w and v + 2w, where w ranks are in v's level. Odd
/// ranks are on the left of the root.
Tree binary_tree(int size, int v);

/// Children at distances d, 2d, …, (radix-1)·d for every power d of the radix below v's lowest place that is not 0, the
/// most distant power first; within a power nearest first, or farthest first.
Tree knomial_tree(int size, int v, int radix, bool farthest_first = false);

/// The binomial tree, children nearest first: each subtree is a range of ranks, and the leaves are served first.
Tree binomial_tree_nearest_first(int size, int v);

/// Binomial the other way round, as Open MPI broadcasts: the children of v are v + d for every power of two d above v,
/// nearest first. In the last round every rank of the lower half serves one of the upper half.
Tree binomial_tree_of_doubling(int size, int v);

/// Binary, rooted at rank size-1; operands stay in order if a rank combines (second child, first child, own): the
/// second child has the lower half of the ranks below it, the first child the upper.
Tree in_order_binary_tree(int size, Rank rank);

/// The children of v are fanout·v + 1 … fanout·v + fanout.
Tree kary_tree(int size, int v, int fanout);

/// k-nomial of ranks in depth-first order: each child's subtree directly follows those of the children before it.
Tree depth_first_knomial_tree(int size, int v, int radix);

/// MPICH's choice: type 0 kary_tree, 1 depth_first_knomial_tree (knomial_1), 2 knomial_tree farthest first (knomial_2).
Tree tree_of_type(std::int64_t type, int size, int v, int radix);

/// The tree of virtual ranks with real ranks, the root being `root`.
Tree rooted_at(Rank root, int size, Tree tree);

/// The round in which rank v has the first message that passes down the tree: each rank serves its children in turn.
template <class Shape>
int first_arrival(Rank v, Shape shape) {
  const Tree place = shape(v);
  if (place.parent < 0) return 0;
  const std::vector<Rank> siblings = shape(place.parent).children;
  const auto before = std::find(siblings.begin(), siblings.end(), v) - siblings.begin();
  return first_arrival(place.parent, shape) + static_cast<int>(before) + 1;
}

/// Rounds until the last rank has the last of the segments that the root sends through the tree; a rank sends to one
/// child a round, each segment to its children in order, and takes in all that comes. A stream of segments leaves a
/// rank with the period in which it comes, or the number of children if that is larger. `shape(v)` is the place of rank
/// v.
template <class Shape>
double last_arrival(Rank root, Shape shape, double segments = 1) {
  struct Stream {
    Rank rank;
    int first, period;  // rounds
  };
  std::vector<Stream> open{{root, 0, 0}};
  double last = 0;
  while (!open.empty()) {
    const auto [rank, first, period] = open.back();
    open.pop_back();
    last = std::max(last, first + (segments - 1) * period);
    const std::vector<Rank> children = shape(rank).children;
    const int onward = std::max(period, static_cast<int>(children.size()));
    for (int i = 0; i < static_cast<int>(children.size()); ++i) open.push_back({children[i], first + i + 1, onward});
  }
  return last;
}

}  // namespace tutti
