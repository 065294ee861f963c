#include "algos/patterns/lanes_of_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/lanes.hpp"
#include "algos/patterns/level_parts.hpp"
#include "algos/patterns/ring.hpp"

namespace tutti {
namespace {

using Lanes = std::vector<std::vector<Rank>>;

/// The ranks of each number on their nodes.
Lanes ranks_of_lanes(const std::vector<NodePlace>& places) {
  Lanes lanes;
  for (std::size_t r = 0; r < places.size(); ++r) {
    const auto number = static_cast<std::size_t>(places[r].number);
    if (lanes.size() <= number) lanes.resize(number + 1);
    lanes[number].push_back(static_cast<Rank>(r));
  }
  return lanes;
}

}  // namespace

bool is_one_lane(const Comm& comm) { return !comm.is_equal(Level::node) || comm.group(Level::node).size() == 1; }

Task reduce_scatter_in_lanes(Comm comm, Call call) {
  if (is_one_lane(comm)) co_return co_await run_choice(comm, "lane", call, call);
  const Comm node = comm.group(Level::node), lane = comm.peers(Level::node);
  const std::vector<Rank> ranks = ranks_by_lane(comm);
  const View sum = comm.scratch(call.in.elements());  // lane after lane
  const std::vector<Op> copies = copy_into_order(comm, ranks, call.blocks, sum, call.in);
  std::vector<Count> firsts_of_lanes, firsts;  // firsts: in the own lane
  Count at = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto number = static_cast<Rank>(i) / lane.size();
    if (static_cast<Rank>(i) % lane.size() == 0) firsts_of_lanes.push_back(at);
    if (number == node.rank()) firsts.push_back(at - firsts_of_lanes.back());
    at += call.blocks.count(ranks[i]);
  }
  firsts_of_lanes.push_back(at);
  const Blocks of_lanes{node.size(), 0, 0, firsts_of_lanes.data()};
  firsts.push_back(of_lanes.count(node.rank()));
  co_await comm.wait(copies);
  co_await reduce_around_ring(node, sum, of_lanes, node.rank() - 1);
  Call part = reduce_scatter_part(call, of_lanes.of(sum, node.rank()), call.out, lane.size());
  if (call.blocks.firsts || call.blocks.larger > 0) part.blocks = {lane.size(), 0, 0, firsts.data()};
  co_await run_choice(lane, "lane", call, part);
}

namespace {

/// In place of the lanes.
PartCounts count_one_lane(const Facts& facts, const Case& c) {
  const auto number = static_cast<std::int64_t>(facts["lane"]);
  const Choice& real = choice_that_runs(number, c);
  facts.see_part(kAllParts, c.ranks, number_of_choice(real.algorithm->collective(), real.text()));
  return count_numbered(facts, number, c);
}

/// A reduce-scatter among these ranks.
Case reduce_scatter_among(const Facts& facts, const std::vector<Rank>& ranks) {
  Case c{.ranks = static_cast<int>(ranks.size()), .count = facts.count_of(0)};
  const auto number = static_cast<std::int64_t>(facts["lane"]);
  if (choice_of_number(number).algorithm->collective() == Collective::reduce_scatter_block) return c;
  std::vector<Count> counts;
  counts.reserve(ranks.size());
  for (const Rank r : ranks) counts.push_back(facts.count_of(r));
  c.count = std::accumulate(counts.begin(), counts.end(), Count{0});
  if (facts.blocks().firsts || facts.blocks().larger > 0) c.counts = std::make_shared<BlockCounts>(counts);
  return c;
}

}  // namespace

PartCounts count_reduce_scatter_in_lanes(const Facts& facts) {
  const Spread spread(facts);
  const auto ranks = static_cast<int>(facts["p"]);
  if (!spread.equal || spread.ppn == 1) return count_one_lane(facts, reduce_scatter_among(facts, all_ranks(ranks)));
  PartCounts lanes;
  Count all = 0;
  for (const std::vector<Rank>& lane : ranks_of_lanes(places_of(facts))) {
    for (const Rank r : lane) all += facts.count_of(r);
    lanes = side_by_side(lanes, count_choice(facts, "lane", reduce_scatter_among(facts, lane)));
  }
  return count_rings(facts, spread, all) + lanes;
}

PartCounts count_blocks_in_lanes(const Facts& facts) {
  const Spread spread(facts);
  const auto count = static_cast<Count>(facts["c"]);
  const auto root = static_cast<Rank>(facts["root"]);
  if (!spread.equal || spread.ppn == 1)
    return count_one_lane(facts, {.ranks = static_cast<int>(facts["p"]), .count = count, .root = root});
  const std::vector<NodePlace> places = places_of(facts);
  const std::size_t node_of_root = places[root].node;
  PartCounts lanes;
  for (const std::vector<Rank>& lane : ranks_of_lanes(places)) {
    const auto there = std::find_if(lane.begin(), lane.end(), [&](Rank r) { return places[r].node == node_of_root; });
    const auto root_of_lane = static_cast<Rank>(there - lane.begin());
    lanes = side_by_side(lanes, count_choice(facts, "lane", spread.nodes, count, root_of_lane));
  }
  const double others = spread.ppn - 1, bytes_of_lane = static_cast<double>(spread.nodes * count) * facts["e"];
  return lanes + PartCounts{others, others, others * bytes_of_lane};
}

}  // namespace tutti
