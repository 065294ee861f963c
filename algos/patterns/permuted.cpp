#include "algos/patterns/permuted.hpp"

#include <algorithm>

#include "algos/groups.hpp"

namespace tutti {
namespace {

GroupKind order_of(std::int64_t value) {
  constexpr GroupKind kOrders[] = {GroupKind::reversed, GroupKind::cyclic, GroupKind::block};
  return kOrders[value];
}

}  // namespace

Comm permuted(const Comm& comm, const Call& call) {
  return comm.ordered(order_of(call.parameter("order")), Level::node);
}

PartCounts count_permuted(const Facts& facts) {
  std::vector<std::size_t> nodes;
  std::vector<Rank> numbers;
  for (const NodePlace& place : places_of(facts)) {
    nodes.push_back(place.node);
    numbers.push_back(place.number);
  }
  const std::vector<Rank> ranks = in_order(order_of(static_cast<std::int64_t>(facts["order"])), nodes, numbers);
  const auto root = std::find(ranks.begin(), ranks.end(), static_cast<Rank>(facts["root"])) - ranks.begin();
  return count_choice(facts, "of", static_cast<int>(ranks.size()), static_cast<Count>(facts["c"]),
                      static_cast<Rank>(root));
}

}  // namespace tutti
