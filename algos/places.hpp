#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algos/comm.hpp"

namespace tutti {

/// "cache", "numa", "socket", "node", "leaf" or "group".
const char* name_of(Level level);
/// "node or leaf": of these levels.
std::string names_of(const std::vector<Level>& levels);
/// Throws InputError, which lists them, where no level is called so.
Level level_of(std::string_view name);

/// The node of each rank, as any numbers; empty: every rank has a node of its own.
using NodeOfRank = std::vector<int>;

/// Where ranks are: at each level, numbers that ranks share exactly if they share that.
struct Places {
  Places() = default;
  Places(NodeOfRank of_nodes) : node(std::move(of_nodes)) {}  // where no other levels are known

  NodeOfRank node;
  std::map<Level, std::vector<int>> others;  // those that the machine has

  bool has(Level level) const { return level == Level::node || others.contains(level); }
  /// Throws InputError where there is no such level, with those that there are.
  int of(Rank rank, Level level) const;
  friend bool operator==(const Places&, const Places&) = default;
};

}  // namespace tutti
