#pragma once

#include "selection/search_result.hpp"

namespace tutti {

/// More nodes may suit an algorithm better than its counts say: by so much.
inline constexpr double kLessOnMoreNodes = 0.9;

/// What fewer ranks do tells nothing of more.
inline constexpr int kFewRanks = 32;

/// Of the rounds, a rank's messages and a rank's bytes, which are exact in the metadata: by which the one that grows
/// least does.
double least_growth(const Counts& there, int ranks_there, const Counts& here, int ranks);

/// What a choice takes at least, by what it took on fewer nodes with the same number of ranks on each: no less than
/// there. 0 where nothing is known, ranks there are few, another algorithm ran, its messages (if
/// blocks become smaller with every rank) take another protocol, or the number of ranks suits the algorithm better
/// here: its counts fall, or ranks that it folds in first, where they are no power of two or of its radix, are none
/// here.
double lower_bound_by_fewer_nodes(const Estimate& there, int ranks_there, const Estimate& here, int ranks);

/// Whether two choices that took the very same time on fewer nodes, and declare the same counts here, are taken to be
/// the same: trees that differ in how they cut messages, where they do not, and the like. Few ranks prove nothing.
bool are_equivalent_by_fewer_nodes(const Estimate& a_there, const Estimate& b_there, int ranks_there, const Estimate& a,
                                   const Estimate& b);

}  // namespace tutti
