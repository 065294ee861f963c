#pragma once

namespace tutti {

/// How a call's ranks are spread over nodes, as far as libraries ask.
struct RanksOnNodes {
  int nodes = 1;
  int most = 1, fewest = 1;  // ranks on a node that has any

  bool equal() const { return most == fewest; }
};

/// As evenly as can be: where the ranks are no multiple of the nodes, some nodes have one less than others.
/// 1 <= nodes <= ranks.
constexpr RanksOnNodes evenly(int nodes, int ranks) { return {nodes, (ranks + nodes - 1) / nodes, ranks / nodes}; }

}  // namespace tutti
