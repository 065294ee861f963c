#pragma once

#include <vector>

#include "algos/registry.hpp"

namespace tutti {

/// Two post-order binary trees, of the lower and the upper half of the ranks; their roots are the last of each.
struct DualRootPlace {
  Rank parent, dual;           // -1: none; the dual of a root is the other root
  std::vector<Rank> children;  // those with the upper ranks first: then operands stay in order
  int depth = 0;
};
DualRootPlace dual_root_place(int size, Rank rank);

/// Rounds of an allreduce in which every rank, for segment after segment, exchanges with each child and then with its
/// parent or the other root: what it has summed up for what is complete (allreduce/dual_root.cpp).
double dual_root_rounds(const Facts& facts);

}  // namespace tutti
