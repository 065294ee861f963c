#pragma once

#include <cstddef>
#include <vector>

#include "algos/registry.hpp"

namespace tutti {

/// How many ranks are on each node, in the order of the nodes' first ranks.
std::vector<int> node_sizes(const Facts& facts);
/// The same where the ranks of each node follow one another, else nothing.
std::vector<int> consecutive_node_sizes(const Facts& facts);
/// Where a rank is: its node, in that order, and its number among the ranks of that node.
struct NodePlace {
  std::size_t node;
  Rank number;
};
std::vector<NodePlace> places_of(const Facts& facts);  // of all ranks
NodePlace place_of(const Facts& facts, Rank rank);

}  // namespace tutti
