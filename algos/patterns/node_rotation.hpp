#pragma once

#include <vector>

#include "algos/patterns/two_levels.hpp"

namespace tutti {

/// The blocks of all ranks, node after node, the own node's first and around the end, as node-aware Bruck algorithms
/// keep them. Nodes may have different numbers of ranks. Quantities in elements.
class NodeRotation {
 public:
  /// The communicator must be that of all ranks.
  NodeRotation(const Comm& comm, const Blocks& blocks);

  int number() const { return static_cast<int>(nodes_.size()); }
  /// Ranks of the smallest node.
  int fewest() const { return fewest_; }
  /// Where the blocks of the i-th node begin; of number(): the elements of all.
  Count first(int i) const { return firsts_[i]; }
  /// The rank with this number on the node `away` nodes on.
  Rank rank_on(int away, int number_on_node) const;

  /// For Blocks, by rank of the own node: where its own block begins, and where what it fetches begins when each of the
  /// first fewest() ranks fetches the blocks of `have` nodes, from where the node's blocks end.
  std::vector<Count> firsts_on_own() const;
  std::vector<Count> firsts_of_fetched(int have) const;

  /// Posts what brings all blocks to where the call wants them.
  std::vector<Op> place(const Comm& comm, const Call& call, const View& held) const;

 private:
  Blocks blocks_;
  std::vector<const std::vector<Rank>*> nodes_;  // rotated
  std::vector<Count> firsts_{0};
  int fewest_;
};

}  // namespace tutti
