#include "algos/patterns/permuted.hpp"

#include <algorithm>

#include "algos/groups.hpp"
#include "algos/patterns/hier_lanes.hpp"

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

Task reduce_scatter_in_order(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  std::vector<Rank> ranks;
  for (int i = 0; i < other.size(); ++i) ranks.push_back(other.world_rank(i));
  const Count each = call.blocks.largest();
  const View all = comm.scratch(other.size() * each), sum = call.out.elements() == each ? call.out : comm.scratch(each);
  const std::vector<Op> copies = blocks_of_one_size(comm, call, ranks, all);
  co_await comm.wait(copies);
  co_await run_choice(other, "of", call, reduce_scatter_part(call, all, sum, other.size()));
  if (sum != call.out) co_await comm.wait(comm.copy(call.out, sum.slice(0, call.out.elements())));
}

namespace {

PartCounts count_in_order(const Facts& facts, Count count) {
  std::vector<std::size_t> nodes;
  std::vector<Rank> numbers;
  for (const NodePlace& place : places_of(facts)) {
    nodes.push_back(place.node);
    numbers.push_back(place.number);
  }
  const std::vector<Rank> ranks = in_order(order_of(static_cast<std::int64_t>(facts["order"])), nodes, numbers);
  const auto root = std::find(ranks.begin(), ranks.end(), static_cast<Rank>(facts["root"])) - ranks.begin();
  return count_choice(facts, "of", static_cast<int>(ranks.size()), count, static_cast<Rank>(root));
}

}  // namespace

PartCounts count_permuted(const Facts& facts) { return count_in_order(facts, static_cast<Count>(facts["c"])); }

PartCounts count_permuted_blocks(const Facts& facts) {
  return count_in_order(facts, facts.blocks().largest() * static_cast<Count>(facts["p"]));
}

}  // namespace tutti
