#include "algos/patterns/lanes.hpp"

#include <algorithm>

namespace tutti {

std::vector<Rank> ranks_by_lane(const Comm& comm, int lanes) {
  std::vector<Rank> ranks(static_cast<std::size_t>(comm.size()));
  std::vector<std::size_t> next(static_cast<std::size_t>(lanes));
  for (std::size_t lane = 0; lane < next.size(); ++lane) next[lane] = lane * ranks.size() / next.size();
  for (Rank r = 0; r < comm.size(); ++r) {
    const std::vector<Rank>& mates = comm.mates_of(r, Level::node);
    ranks[next[static_cast<std::size_t>(std::lower_bound(mates.begin(), mates.end(), r) - mates.begin())]++] = r;
  }
  return ranks;
}

Rank in_lane(const Comm& comm, const Comm& node, const Comm& lane, Rank r) {
  return lane.rank_of(comm.mates_of(r, Level::node)[static_cast<std::size_t>(node.rank())]);
}

Task scatter_on_node(Comm node, Rank root, View vector, Blocks blocks) {
  if (root < 0) co_return;
  if (node.rank() != root) {
    co_await node.wait(node.recv(root, blocks.of(vector, node.rank())));
    co_return;
  }
  for (Rank other = 0; other < node.size(); ++other)
    if (other != root) co_await node.blocking_send(other, blocks.of(vector, other));
}

Task gather_on_node(Comm node, Rank root, View vector, Blocks blocks) {
  if (root < 0) co_return;
  if (node.rank() != root) {
    co_await node.blocking_send(root, blocks.of(vector, node.rank()));
    co_return;
  }
  for (Rank other = 0; other < node.size(); ++other)
    if (other != root) co_await node.wait(node.recv(other, blocks.of(vector, other)));
}

Task exchange_in_pairs(Comm comm, View in, View out, Blocks blocks) {
  const int size = comm.size(), rank = comm.rank();
  co_await comm.wait(comm.copy(blocks.of(in, rank), blocks.of(out, rank)));
  for (int step = 1; step < size; ++step) {
    const Rank to = (rank + step) % size, from = (rank - step + size) % size;
    co_await comm.exchange(to, blocks.of(out, to), from, blocks.of(in, from));
  }
}

PartCounts count_rings(const Facts& facts, const Spread& spread, Count count) {
  const double others = spread.ppn - 1;
  return on_each(spread.nodes, {others, spread.ppn * others, others * static_cast<double>(count) * facts["e"]});
}

std::vector<Rank> roots_of_lanes(const Facts& facts) {
  const std::vector<NodePlace> places = places_of(facts);
  const std::size_t node_of_root = places[static_cast<std::size_t>(facts["root"])].node;
  std::vector<Rank> roots, met;  // met: how many of each lane there were before
  for (const NodePlace& place : places) {
    const auto lane = static_cast<std::size_t>(place.number);
    if (lane == met.size()) met.push_back(0), roots.push_back(0);
    if (place.node == node_of_root) roots[lane] = met[lane];
    ++met[lane];
  }
  return roots;
}

PartCounts count_blocks_of_root(const Facts& facts, const Spread& spread, Count count) {
  const double others = spread.ppn - 1;
  const Count kept = Blocks::split(count, spread.ppn).count(spread.root_number);
  return {others, others, static_cast<double>(count - kept) * facts["e"]};
}

}  // namespace tutti
