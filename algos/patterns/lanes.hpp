#pragma once

#include <vector>

#include "algos/patterns/two_levels.hpp"

namespace tutti {

// What full-lane algorithms are made of: every rank sends over a lane of its own, on which are the ranks that have its
// number on their nodes (Comm::peers), so that all adapters of a node have something to do. Nodes have as many ranks
// each. Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020 (arXiv
// 1910.13373).

/// The ranks of each number in the parts of `whole`, which have as many each, ascending.
std::vector<std::vector<Rank>> lanes_of(const Comm& whole, Level by);
/// All ranks, lane after lane, on each in the order of the lane.
std::vector<Rank> ranks_by_lane(const Comm& comm);

/// All ranks, node after node in the order of the own lane.
std::vector<Rank> ranks_by_node(const Comm& comm);

/// How many ranks the node has that has the fewest.
int smallest_node(const Comm& comm);

/// Of `lane`, the one on the node of rank r of all.
Rank in_lane(const Comm& comm, const Comm& node, const Comm& lane, Rank r);

/// For counting: a vector of `count` elements in blocks, one for each rank of a node, and around a ring on each node
/// all of them but one's own.
PartCounts count_rings(const Facts& facts, const Spread& spread, Count count);

/// An algorithm of the alltoall on all ranks, in place of the lanes.
PartCounts count_instead(const Facts& facts, const char* name);

/// On each lane what `count_one(elements)` gives for a block of a vector of `count` elements, cut into `blocks`; rounds
/// are those of the lane that takes most.
template <class CountOne>
PartCounts count_lanes(int blocks, Count count, CountOne count_one) {
  const Blocks cut = Blocks::split(count, blocks);
  const PartCounts larger = cut.larger > 0 ? on_each(cut.larger, count_one(cut.base + 1)) : PartCounts{};
  return side_by_side(larger, on_each(blocks - cut.larger, count_one(cut.base)));
}

/// A rooted algorithm whose parameter `lane` names what its lanes run: a ring on each node, the lanes, and on the
/// root's node all blocks but its own, to or from the root, one after the other.
PartCounts count_rooted(const Facts& facts, Collective collective);
/// The fewest rounds of that: those blocks move while other nodes are at their rings.
double least_rooted_rounds(const Facts& facts, Collective collective);

}  // namespace tutti
