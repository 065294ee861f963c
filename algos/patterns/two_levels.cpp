#include "algos/patterns/two_levels.hpp"

#include <algorithm>

namespace tutti {
namespace {

Rank number_on_node(Rank rank, const std::vector<Rank>& mates) {
  return static_cast<Rank>(std::lower_bound(mates.begin(), mates.end(), rank) - mates.begin());
}

}  // namespace

TwoLevels::TwoLevels(const Comm& comm, Rank root)
    : node(comm.group(Level::node)),
      across(comm.peers(Level::node)),
      root_number(number_on_node(root, comm.mates_of(root, Level::node))),
      leads(node.rank() == root_number) {
  if (leads) root_across = across.rank_of(root);
}

int NodeOrder::place_of(Rank r) const {
  const std::vector<Rank>& mates = comm_.mates_of(r, Level::node);
  const Rank leader = mates[levels_.root_number];
  return levels_.across.rank_of(leader) * levels_.node.size() + number_on_node(r, mates);
}

Spread::Spread(const Facts& facts) {
  const std::vector<int> sizes = node_sizes(facts);
  nodes = static_cast<int>(sizes.size());
  ppn = sizes.front();
  equal = std::all_of(sizes.begin(), sizes.end(), [&](int size) { return size == ppn; });
  const std::vector<NodePlace> places = places_of(facts);
  const auto root = static_cast<std::size_t>(facts["root"]);
  root_number = places[root].number;
  for (std::size_t r = 0; r < root; ++r) root_across += places[r].number == root_number;
}

PartCounts count_low(const Facts& facts, const Spread& spread, Collective collective, const char* parameter,
                     Count count) {
  return on_each(spread.nodes, count_part(facts, collective, parameter, spread.ppn, count, spread.root_number));
}

PartCounts count_up(const Facts& facts, const Spread& spread, Collective collective, const char* parameter,
                    Count count) {
  return count_part(facts, collective, parameter, spread.nodes, count, spread.root_across);
}

SegmentCounts::SegmentCounts(const Facts& facts, Count elements) {
  Call call;
  call.element_bytes = static_cast<std::int32_t>(facts["e"]);
  each =
      std::min(call.elements_of(static_cast<std::int64_t>(facts["segment"]), elements), std::max<Count>(1, elements));
  number = std::max<Count>(1, (elements + each - 1) / each);
  last = elements - (number - 1) * each;
}

}  // namespace tutti
