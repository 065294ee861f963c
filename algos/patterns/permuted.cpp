#include "algos/patterns/permuted.hpp"

#include <algorithm>
#include <iterator>

#include "algos/groups.hpp"
#include "algos/patterns/hier_lanes.hpp"
#include "algos/rank_order.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kNamed = std::size(kNamedOrders);

}  // namespace

Comm permuted(const Comm& comm, const Call& call) {
  const std::int64_t order = call.parameter("order");
  return order < kNamed ? comm.ordered(kNamedOrders[order].kind, Level::node)
                        : comm.ordered(ranks_in_order(order - kNamed, comm.size()));
}

std::vector<Rank> order_of(const Comm& other) {
  std::vector<Rank> order;
  order.reserve(static_cast<std::size_t>(other.size()));
  for (Rank i = 0; i < other.size(); ++i) order.push_back(other.world_rank(i));
  return order;
}

Task reduce_scatter_in_order(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const Count each = call.blocks.largest();
  const View all = comm.scratch(other.size() * each), sum = call.out.elements() == each ? call.out : comm.scratch(each);
  const std::vector<Op> copies = blocks_of_one_size(comm, call, order_of(other), all);
  co_await comm.wait(copies);
  co_await run_choice(other, "of", call, reduce_scatter_part(call, all, sum, other.size()));
  if (sum != call.out) co_await comm.wait(comm.copy(call.out, sum.slice(0, call.out.elements())));
}

std::vector<Count> firsts_in_order(const Comm& other, const Blocks& blocks) {
  std::vector<Count> firsts{0};
  for (Rank i = 0; i < other.size(); ++i) firsts.push_back(firsts.back() + blocks.count(other.world_rank(i)));
  return firsts;
}

Call part_in_order(const Call& whole, const View& in, const View& out, Rank root, const std::vector<Count>& firsts) {
  Call part = whole;
  part.in = in;
  part.out = out;
  part.root = root;
  part.in_place = false;
  part.blocks = {static_cast<int>(firsts.size()) - 1, 0, 0, firsts.data()};
  return part;
}

namespace {

std::vector<Rank> ordered_ranks(const Facts& facts) {
  const auto order = static_cast<std::int64_t>(facts["order"]);
  if (order >= kNamed) return ranks_in_order(order - kNamed, static_cast<int>(facts["p"])).members;
  std::vector<std::size_t> nodes;
  std::vector<Rank> numbers;
  for (const NodePlace& place : places_of(facts)) {
    nodes.push_back(place.node);
    numbers.push_back(place.number);
  }
  return in_order(kNamedOrders[order].kind, nodes, numbers);
}

}  // namespace

std::optional<Choice> what_needs_no_order(const Choice& choice, const Case& c, const Places& places) {
  if (choice.algorithm->name() != "permuted") return std::nullopt;
  const Facts facts(c, choice.parameters, places);
  const std::vector<Rank> ranks = ordered_ranks(facts);
  if (!std::is_sorted(ranks.begin(), ranks.end())) return std::nullopt;
  return choice_of_number(static_cast<std::int64_t>(facts["of"]));
}

namespace {

Rank root_in_order(const Facts& facts, const std::vector<Rank>& ranks) {
  return static_cast<Rank>(std::find(ranks.begin(), ranks.end(), static_cast<Rank>(facts["root"])) - ranks.begin());
}

PartCounts count_in_order(const Facts& facts, Count count) {
  const std::vector<Rank> ranks = ordered_ranks(facts);
  return count_choice(facts, "of", static_cast<int>(ranks.size()), count, root_in_order(facts, ranks));
}

PartCounts count_with_counts(const Facts& facts, const std::vector<Rank>& ranks,
                             std::shared_ptr<const BlockCounts> counts) {
  Case c{.ranks = static_cast<int>(ranks.size()), .count = static_cast<Count>(facts["c"])};
  c.root = root_in_order(facts, ranks);
  c.counts = std::move(counts);
  return count_choice(facts, "of", c);
}

}  // namespace

PartCounts count_permuted(const Facts& facts) { return count_in_order(facts, static_cast<Count>(facts["c"])); }

PartCounts count_permuted_blocks(const Facts& facts) {
  return count_in_order(facts, facts.blocks().largest() * static_cast<Count>(facts["p"]));
}

PartCounts count_permuted_any_blocks(const Facts& facts) {
  const std::vector<Rank> ranks = ordered_ranks(facts);
  std::vector<Count> counts;
  for (const Rank r : ranks) counts.push_back(facts.count_of(r));
  return count_with_counts(facts, ranks, std::make_shared<BlockCounts>(counts));
}

PartCounts count_permuted_exchange(const Facts& facts) {
  const std::vector<Rank> ranks = ordered_ranks(facts);
  std::vector<Count> counts;
  for (const Rank from : ranks)
    for (const Rank to : ranks) counts.push_back(facts.count_from_to(from, to));
  return count_with_counts(facts, ranks, std::make_shared<BlockCounts>(static_cast<int>(ranks.size()), counts));
}

}  // namespace tutti
