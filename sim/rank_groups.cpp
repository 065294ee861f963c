#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

/// The nearest core that shares the domain stands for it.
int place(const Network& network, int core, Level level) {
  const Distance within = level == Level::node     ? Distance::node
                          : level == Level::socket ? Distance::socket
                                                   : Distance::numa;
  int first = core / network.cores_per_node() * network.cores_per_node();
  while (network.distance(first, core) > within) ++first;
  return first;
}

}  // namespace

GroupTable groups_of(const Network& network, const std::vector<int>& core_of_rank, int ranks) {
  return {ranks,
          [&](Rank rank, Level level) { return place(network, core_of_rank[static_cast<std::size_t>(rank)], level); }};
}

}  // namespace tutti
