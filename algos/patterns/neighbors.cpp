#include "algos/patterns/neighbors.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace tutti {
namespace {

/// The targets in the order of the blocks that they are there: as a rank posts its receives, and so, where two blocks
/// go to one rank, the order in which they match.
std::vector<int> as_received(std::span<const Neighbor> targets) {
  std::vector<int> order(targets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return targets[a].slot < targets[b].slot; });
  return order;
}

std::multiset<Rank> others(std::span<const Neighbor> neighbors, Rank rank) {
  std::multiset<Rank> all;
  for (const Neighbor& neighbor : neighbors)
    if (neighbor.rank != kNobody && neighbor.rank != rank) all.insert(neighbor.rank);
  return all;
}

/// The largest of all ranks, of what it sends and of what it gets.
template <class Size>
double most_of(const Facts& facts, Size size) {
  const Neighborhood& all = facts.neighborhood();
  std::size_t most = 0;
  for (Rank rank = 0; rank < all.ranks(); ++rank)
    most = std::max({most, size(others(all.targets(rank), rank)), size(others(all.sources(rank), rank))});
  return static_cast<double>(most);
}

}  // namespace

View packed(const Comm& comm, const std::vector<View>& blocks, std::vector<Op>& copies) {
  if (blocks.size() == 1) return blocks.front();
  Count total = 0;
  for (const View& block : blocks) total += block.elements();
  const View all = comm.scratch(total);
  Count at = 0;
  for (const View& block : blocks) {
    copies.push_back(comm.copy(all.slice(at, block.elements()), block));
    at += block.elements();
  }
  return all;
}

Task neighbors_at_once(Comm comm, Call call) {
  const Rank rank = comm.rank();
  const auto sources = call.neighborhood->sources(rank), targets = call.neighborhood->targets(rank);
  for (int i = 0; i < static_cast<int>(sources.size()); ++i)
    if (const Rank from = sources[i].rank; from != kNobody && from != rank) comm.recv(from, call.incoming(i));
  for (const int i : as_received(targets)) {
    const auto [to, slot] = targets[i];
    if (to == kNobody) continue;
    if (to == rank)
      comm.copy(call.incoming(slot), outgoing(call, i));
    else
      comm.send(to, outgoing(call, i));
  }
  co_return;
}

double most_neighbors(const Facts& facts) {
  return most_of(facts, [](const std::multiset<Rank>& ranks) { return std::set(ranks.begin(), ranks.end()).size(); });
}

double most_rounds_at_once(const Facts& facts) {
  const double blocks = most_of(facts, [](const std::multiset<Rank>& ranks) { return ranks.size(); });
  return std::max(0.0, 2 * blocks - 1);
}

double neighbor_bytes(const Facts& facts) {
  const Neighborhood& all = facts.neighborhood();
  double elements = 0;
  for (Rank rank = 0; rank < all.ranks(); ++rank) {
    const auto targets = all.targets(rank);
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (targets[i].rank != kNobody && targets[i].rank != rank)
        elements += static_cast<double>(facts.count_of_block(rank, static_cast<int>(i)));
  }
  return elements * facts["e"];
}

}  // namespace tutti
