#pragma once

#include <vector>

#include "algos/patterns/neighbors.hpp"

namespace tutti {

// Node-aware exchange among neighbours: all that goes from one node to another is one message. A rank of the one takes
// it in from its node, a rank of the other hands it out there; other pairs of nodes have other ranks. Bienz, Gropp,
// Olson: Node Aware Sparse Matrix-Vector Multiplication, JPDC 130, 2019.

/// A block by who sends it and which of that rank's it is (0: one for all).
struct SentBlock {
  Rank sender;
  int slot;
  friend auto operator<=>(const SentBlock&, const SentBlock&) = default;
};
struct NodeMessage {
  Rank from, to;
  std::vector<SentBlock> blocks;
};

/// Ranks by node, and the node of each.
struct RanksByNode {
  std::vector<std::vector<Rank>> ranks;
  std::vector<int> of;
};

/// Which messages there are: within nodes to those that send to others; between nodes, and beside them within nodes
/// what is for the same node; within nodes what has come from others.
class NodeAwareExchange {
 public:
  static constexpr int kStages = 3;
  NodeAwareExchange(const Neighborhood& neighborhood, Way way, RanksByNode nodes)
      : neighborhood_(neighborhood), way_(way), nodes_(std::move(nodes)) {}

  /// None is without blocks, or from a rank to itself.
  std::vector<NodeMessage> sent(int stage, Rank rank) const;
  std::vector<NodeMessage> received(int stage, Rank rank) const;
  int node(Rank rank) const { return nodes_.of[rank]; }

 private:
  const std::vector<Rank>& mates(int node) const { return nodes_.ranks[node]; }
  /// Who exchanges for a node with another one.
  Rank at_border(int node, int other) const;
  SentBlock block(Rank sender, int slot) const { return {sender, way_ == Way::one_for_all ? 0 : slot}; }
  NodeMessage to_border(Rank from, Rank to) const;
  NodeMessage between(int from, int to) const;
  NodeMessage within(Rank from, Rank to) const;
  NodeMessage from_border(Rank from, Rank to) const;

  const Neighborhood& neighborhood_;
  Way way_;
  RanksByNode nodes_;
};

Task exchange_node_aware(Comm comm, Call call);

template <Way way>
double least_node_aware_rounds(const Facts& facts);
template <Way way>
double most_node_aware_rounds(const Facts& facts);
template <Way way>
double node_aware_messages(const Facts& facts);
template <Way way>
double node_aware_bytes(const Facts& facts);

/// For declaring them.
inline constexpr const char* kNodeAwareRounds =
    "at least the most partners of a rank, either way; at most, in each of three stages, twice its messages less one";
inline constexpr const char* kNodeAwareMessages =
    "one for each pair of nodes that has something to exchange, and within nodes up to three for each pair of ranks: "
    "to who sends it, what is for the node, from who has got it";
inline constexpr const char* kNodeAwareSources =
    "Bienz, Gropp, Olson: Node Aware Sparse Matrix-Vector Multiplication, JPDC 130, 2019; Collom, Li, Bienz: "
    "Optimizing Irregular Communication with Neighborhood Collectives and Locality-Aware Parallelism, 2023: three "
    "steps";
inline constexpr const char* kNodeAwareDeviates =
    "which rank of a node exchanges with another node goes by that node's number, not by how much there is";

}  // namespace tutti
