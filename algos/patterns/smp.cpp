#include "algos/patterns/smp.hpp"

#include <algorithm>
#include <bit>

#include "algos/patterns/fold.hpp"
#include "algos/patterns/node_places.hpp"
#include "algos/patterns/prefix.hpp"
#include "algos/patterns/tree_pipeline.hpp"

namespace tutti {
namespace {

int binomial_rounds(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

}  // namespace

double smp_reduce_rounds(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  const auto nodes = static_cast<int>(sizes.size());
  const NodePlace root = place_of(facts, static_cast<Rank>(facts["root"]));
  const auto tree = [](int size) { return [=](int v) { return binomial_tree_nearest_first(size, v); }; };
  const int across = sum_complete(0, tree(nodes), [&](int v) {
    const std::size_t node = (root.node + static_cast<std::size_t>(v)) % sizes.size();
    return node == root.node ? 0 : sum_complete(0, tree(sizes[node]));
  });
  const int size = sizes[root.node], leader = (size - root.number) % size;  // from the root on
  return sum_complete(0, tree(size), [=](int v) { return v == leader ? across : 0; });
}

/// Every first rank waits for the slowest node, then all go on together. A node's tree up and down, and what a folded
/// pair of nodes says to each other before and after, take as many rounds.
double smp_allreduce_rounds(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  const Fold fold(static_cast<int>(sizes.size()));
  int slowest = 0;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    const int tree = binomial_rounds(sizes[i]);
    slowest = std::max(slowest, tree + fold.paired(i));
  }
  return 2 * slowest + std::bit_width(static_cast<unsigned>(fold.core)) - 1;
}

double smp_bcast_rounds(const Facts& facts, bool by_first) {
  if (facts["n"] == 0) return 0;
  const std::vector<int> sizes = node_sizes(facts);
  const auto nodes = static_cast<int>(sizes.size());
  const NodePlace root = place_of(facts, static_cast<Rank>(facts["root"]));
  const int root_node_size = sizes[root.node];
  int start = root.number > 0 ? 1 : 0;
  const bool root_node_first = root.number > 0 && !by_first;
  if (root_node_first)  // its first rank, from the root on; its last ones have it when another node's first has
    start = halving_bcast_ends(root_node_size, 0)[root_node_size - root.number];
  std::vector<int> ends = halving_bcast_ends(nodes, start);
  for (int v = 0; v < nodes; ++v) {
    const std::size_t node = (root.node + static_cast<std::size_t>(v)) % sizes.size();
    if (node != root.node || !root_node_first) ends[v] += binomial_rounds(sizes[node]);
  }
  const int root_node_ends = root_node_first ? binomial_rounds(root_node_size) : 0;
  return std::max(root_node_ends, *std::max_element(ends.begin(), ends.end()));
}

double smp_scan_rounds(const Facts& facts) {
  const std::vector<int> sizes = consecutive_node_sizes(facts);
  const auto ranks = static_cast<std::size_t>(facts["p"]);
  if (sizes.empty()) return after_prefix(std::vector<int>(ranks)).reached().front();
  std::vector<int> on_node, summed;
  for (const int size : sizes) {
    on_node.push_back(binomial_rounds(size));
    summed.push_back(on_node.back() + (size > 1));  // the first rank has taken in a message in every round
  }
  RoundClock clock = after_prefix(summed);
  for (std::size_t i = sizes.size(); --i > 0; clock.wait()) clock.message(i - 1, i);  // the last one waits for nobody
  std::vector<int> ends = clock.reached();
  for (std::size_t i = 1; i < sizes.size(); ++i) ends[i] += on_node[i];
  return std::max(on_node.front(), *std::max_element(ends.begin(), ends.end()));
}

double smp_scan_messages(const Facts& facts) {
  const std::vector<int> sizes = consecutive_node_sizes(facts);
  if (sizes.empty()) return prefix_messages(static_cast<int>(facts["p"]));
  const auto nodes = static_cast<int>(sizes.size());
  double messages = prefix_messages(nodes) + nodes - 1;
  for (const int size : sizes) messages += prefix_messages(size) + (size > 1 ? 1 : 0);
  return messages + facts["p"] - sizes.front() - (nodes - 1);
}
}  // namespace tutti
