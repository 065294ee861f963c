#pragma once

#include <string>
#include <vector>

#include "algos/places.hpp"
#include "base/ranks_on_nodes.hpp"
#include "runtime/bootstrap.hpp"

namespace tutti {

/// Where the ranks of a job are; the same on every rank.
struct TeamLayout {
  Rank rank = 0;
  std::vector<int> node, socket, numa, cache;  // by rank: numbers that ranks share exactly if they share the domain
  int usable_cores = 1;                        // that this rank's node lets its ranks run on

  int size() const { return static_cast<int>(node.size()); }
  bool same_node(Rank other) const { return node[rank] == node[other]; }
  int ranks_here() const;
  int nodes() const;
  RanksOnNodes on_nodes() const;
  /// At which it is known where ranks are.
  static std::vector<Level> levels() { return {Level::cache, Level::numa, Level::socket, Level::node}; }
  /// Throws InputError where the level lies outside nodes: what switches they hang on is not known here.
  int place(Rank rank, Level level) const;
  Places places() const;
};

/// All ranks together. A rank that may run on cores of several sockets or NUMA domains shares none with anybody but
/// those that may run on the same.
TeamLayout find_layout(Bootstrap& bootstrap);

}  // namespace tutti
