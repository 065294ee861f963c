#pragma once

#include <algorithm>
#include <bit>

namespace tutti {

// The in-order binomial tree of virtual ranks 0..size-1 (the root is 0): the parent of v is v less its lowest set bit,
// and the subtree of v is a range of ranks that begins with v.

/// How far virtual rank v is above its parent; of the root, how far that would be: the power of two from `size` on.
/// Its children are at all smaller powers of two.
constexpr int binomial_parent_distance(int v, int size) {
  return v == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) : v & -v;
}

/// Ranks in the subtree of virtual rank v, itself included.
constexpr int binomial_subtree(int v, int size) { return std::min(binomial_parent_distance(v, size), size - v); }

}  // namespace tutti
