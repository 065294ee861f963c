#pragma once

#include "algos/named_choice.hpp"
#include "algos/patterns/two_levels.hpp"

namespace tutti {

// What compositions are made of that run any algorithm on each node and any between nodes; which, are parameters.

/// A rank's communicators, and who stands for the root. Where nodes have as many ranks each, the ranks with the root's
/// number lead their nodes, the root its own. Elsewhere first ranks do, and the one of the root's node stands for it.
struct RootedLevels {
  RootedLevels(const Comm& comm, Rank root);
  Comm node, across;
  Rank leader;    // on the node
  Rank stand_in;  // of all ranks: who leads the root's node
  bool leads;
};

/// Starts the algorithm that is the value of the call's parameter, or what it falls back to. Throws InputError where it
/// cannot run on so many ranks.
Task run_choice(Comm comm, const char* parameter, const Call& whole, const Call& part);

/// What such a part takes: rounds are a bound from above, those through as many ports as it has one after the other.
PartCounts count_choice(const Facts& whole, const char* parameter, int ranks, Count count = 0, Rank root = 0);
/// On all nodes side by side; from or to the ranks that lead there.
PartCounts count_on_nodes(const Facts& whole, const char* parameter, Count count = 0, Rank leader = 0);

/// How a rooted composition spreads: as RootedLevels.
struct RootedSpread {
  explicit RootedSpread(const Facts& facts);
  Rank leader, stand_in_across;
  int nodes;
  bool hands_over;  // another rank stands for the root
};
/// From the root to who stands for it, or back.
PartCounts count_handing_over(const Facts& facts, const RootedSpread& spread, Count count);

/// Of rounds nothing is told from below: who is ready first goes on.
inline double no_rounds(const Facts&) { return 0; }

}  // namespace tutti
