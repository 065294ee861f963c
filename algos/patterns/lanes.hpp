#pragma once

#include <vector>

#include "algos/patterns/two_levels.hpp"

namespace tutti {

// What full-lane algorithms are made of: every rank sends over a lane of its own, on which are the ranks that have its
// number on their nodes (Comm::peers), so that all adapters of a node have something to do. Nodes have as many ranks
// each. Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020 (arXiv
// 1910.13373).

/// All ranks, lane after lane, on each in the order of the lane.
std::vector<Rank> ranks_by_lane(const Comm& comm, int lanes);

/// Of `lane`, the one on the node of rank r of all.
Rank in_lane(const Comm& comm, const Comm& node, const Comm& lane, Rank r);

/// From `root` each of a node's ranks gets its block of `vector`, or all give it theirs, one after the other; root -1:
/// it is on another node, and nothing happens.
Task scatter_on_node(Comm node, Rank root, View vector, Blocks blocks);
Task gather_on_node(Comm node, Rank root, View vector, Blocks blocks);

/// Block `to` of `out` goes to each rank `to`, whose block for this one comes to its place in `in`.
Task exchange_in_pairs(Comm comm, View in, View out, Blocks blocks);

/// For counting: a vector of `count` elements in blocks, one for each rank of a node, and around a ring on each node
/// all of them but one's own.
PartCounts count_rings(const Facts& facts, const Spread& spread, Count count);

/// The same for scatter_on_node and gather_on_node on the root's node.
PartCounts count_blocks_of_root(const Facts& facts, const Spread& spread, Count count);

/// On each lane what `count_one(elements)` gives for a block of a vector of `count` elements, cut into `blocks`; rounds
/// are those of the lane that takes most.
template <class CountOne>
PartCounts count_lanes(int blocks, Count count, CountOne count_one) {
  const Blocks cut = Blocks::split(count, blocks);
  const PartCounts larger = on_each(cut.larger, count_one(cut.base + 1)),
                   smaller = on_each(blocks - cut.larger, count_one(cut.base));
  return {cut.larger > 0 ? std::max(larger.rounds, smaller.rounds) : smaller.rounds, larger.messages + smaller.messages,
          larger.bytes + smaller.bytes};
}

/// Of each lane, the one on the root's node: not the same where lanes meet the nodes in different orders.
std::vector<Rank> roots_of_lanes(const Facts& facts);

/// As count_lanes of all ranks' lanes, where `count_one(elements, root)` also depends on the root.
template <class CountOne>
PartCounts count_rooted_lanes(const Facts& facts, Count count, CountOne count_one) {
  const std::vector<Rank> roots = roots_of_lanes(facts);
  const Blocks cut = Blocks::split(count, static_cast<int>(roots.size()));
  PartCounts all;
  for (int lane = 0; lane < cut.parts; ++lane) {
    const PartCounts one = count_one(cut.count(lane), roots[static_cast<std::size_t>(lane)]);
    all = {std::max(all.rounds, one.rounds), all.messages + one.messages, all.bytes + one.bytes};
  }
  return all;
}

}  // namespace tutti
