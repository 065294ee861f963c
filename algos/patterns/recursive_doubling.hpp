#pragma once

#include <vector>

#include "algos/registry.hpp"

namespace tutti {

// Recursive doubling among any number of ranks: in a step of width w, subtrees of w virtual ranks meet the next ones,
// in pairs; those of the last pair may have fewer ranks, or none. Thakur, Rabenseifner, Gropp: Optimization of
// Collective Communication Operations in MPICH, IJHPCA 19(1), 2005, section 3.

/// Of a subtree of `width` virtual ranks only the first `had` have a partner, and `what` from it: they pass it on to
/// the others, by halving. All ranks of the subtree call it; rank `root` is virtual rank 0.
Task pass_on_by_halving(Comm comm, Rank root, int width, int had, View what);

/// Messages of all steps: each rank receives once, where its subtree meets another.
double recursive_doubling_messages(int size);
/// Rounds where all begin together; none without elements.
double recursive_doubling_rounds(const Facts& facts);
/// The rounds to which the virtual ranks have come, from those in which they begin.
std::vector<int> after_recursive_doubling(std::vector<int> round);

}  // namespace tutti
