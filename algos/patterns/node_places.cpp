#include "algos/patterns/node_places.hpp"

#include <algorithm>
#include <unordered_map>

namespace tutti {
namespace {

/// Calls `see(rank, place)` for every rank.
template <class See>
void for_each_place(const Facts& facts, See see) {
  const NodeOfRank& node_of_rank = facts.places().node;
  std::unordered_map<int, std::size_t> nodes;
  std::vector<Rank> ranks;
  const auto all = static_cast<Rank>(facts["p"]);
  for (Rank r = 0; r < all; ++r) {
    const int name = node_of_rank.empty() ? r : node_of_rank[r];
    const std::size_t node = nodes.try_emplace(name, nodes.size()).first->second;
    ranks.resize(nodes.size());
    see(r, NodePlace{node, ranks[node]++});
  }
}

}  // namespace

std::vector<int> node_sizes(const Facts& facts) {
  std::vector<int> sizes;
  for_each_place(facts, [&](Rank, NodePlace place) {
    sizes.resize(std::max(sizes.size(), place.node + 1));
    ++sizes[place.node];
  });
  return sizes;
}

std::vector<int> consecutive_node_sizes(const Facts& facts) {
  const std::vector<NodePlace> places = places_of(facts);
  const auto by_node = [](const NodePlace& a, const NodePlace& b) { return a.node < b.node; };
  return std::is_sorted(places.begin(), places.end(), by_node) ? node_sizes(facts) : std::vector<int>{};
}

std::vector<NodePlace> places_of(const Facts& facts) {
  std::vector<NodePlace> places;
  for_each_place(facts, [&](Rank, NodePlace place) { places.push_back(place); });
  return places;
}

NodePlace place_of(const Facts& facts, Rank rank) { return places_of(facts)[rank]; }

}  // namespace tutti
