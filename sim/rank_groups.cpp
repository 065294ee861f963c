#include "sim/rank_groups.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {
namespace {

int place(const Network& network, int core, Level level) {
  const int node = network.node_of(core);
  if (level == Level::node) return node;
  if (level == Level::leaf) return network.leaf_of(node);
  if (level == Level::group) return network.group_of(node);
  // Cores are numbered cache by cache, domain by domain, socket by socket.
  const NodeShape& shape = network.node_shape();
  int cores = shape.cores_per_cache;
  if (level >= Level::numa) cores *= shape.caches_per_domain;
  if (level >= Level::socket) cores *= shape.domains_per_socket;
  return core / cores;
}

}  // namespace

/// A socket, domain or cache that is all of what is around it is none; a leaf or group may be, since parts of a network
/// are as large as one.
std::vector<Level> levels_of(const Network& network) {
  const NodeShape& shape = network.node_shape();
  std::vector<Level> levels;
  if (shape.caches_per_domain > 1) levels.push_back(Level::cache);
  if (shape.domains_per_socket > 1) levels.push_back(Level::numa);
  if (shape.sockets > 1) levels.push_back(Level::socket);
  levels.push_back(Level::node);
  if (network.leaves() > 0) levels.push_back(Level::leaf);
  if (network.groups() > 0) levels.push_back(Level::group);
  return levels;
}

GroupTable groups_of(const Network& network, const std::vector<int>& core_of_rank, int ranks) {
  return {ranks, [&, known = levels_of(network)](Rank rank, Level level) {
            if (std::find(known.begin(), known.end(), level) == known.end())
              throw InputError("the machine has no level '" + std::string(name_of(level)) + "': expected " +
                               names_of(known));
            return place(network, core_of_rank[rank], level);
          }};
}

Places places_of(const Network& network, std::span<const int> core_of_rank) {
  Places places;
  for (const Level level : levels_of(network)) {
    std::vector<int>& of_rank = level == Level::node ? places.node : places.others[level];
    for (const int core : core_of_rank) of_rank.push_back(place(network, core, level));
  }
  return places;
}

}  // namespace tutti
