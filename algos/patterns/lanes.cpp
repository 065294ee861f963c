#include "algos/patterns/lanes.hpp"

#include <algorithm>

#include "algos/named_choice.hpp"

namespace tutti {

std::vector<std::vector<Rank>> lanes_of(const Comm& whole, Level by) {
  const Comm own = whole.peers(by);
  std::vector<std::vector<Rank>> lanes(static_cast<std::size_t>(whole.size() / own.size()));
  for (Rank part = 0; part < own.size(); ++part) {
    const std::vector<Rank>& mates = whole.mates_of(whole.rank_of(own.world_rank(part)), by);
    for (std::size_t number = 0; number < lanes.size(); ++number) lanes[number].push_back(mates[number]);
  }
  for (std::vector<Rank>& lane : lanes)  // parts may lie in another order by the own number
    if (!std::is_sorted(lane.begin(), lane.end())) std::sort(lane.begin(), lane.end());
  return lanes;
}

std::vector<Rank> ranks_by_lane(const Comm& comm) {
  std::vector<Rank> ranks;
  for (const std::vector<Rank>& lane : lanes_of(comm, Level::node)) ranks.insert(ranks.end(), lane.begin(), lane.end());
  return ranks;
}

std::vector<Rank> ranks_by_node(const Comm& comm) {
  const Comm own = comm.peers(Level::node);
  std::vector<Rank> ranks;
  for (Rank node = 0; node < own.size(); ++node) {
    const std::vector<Rank>& mates = comm.mates_of(own.world_rank(node), Level::node);
    ranks.insert(ranks.end(), mates.begin(), mates.end());
  }
  return ranks;
}

int smallest_node(const Comm& comm) {
  if (comm.is_equal(Level::node)) return comm.group(Level::node).size();
  std::ptrdiff_t ranks = comm.size();
  for (Rank r = 0; r < comm.size(); ++r) ranks = std::min(ranks, std::ssize(comm.mates_of(r, Level::node)));
  return static_cast<int>(ranks);
}

Rank in_lane(const Comm& comm, const Comm& node, const Comm& lane, Rank r) {
  return lane.rank_of(comm.mates_of(r, Level::node)[node.rank()]);
}

PartCounts count_rings(const Facts& facts, const Spread& spread, Count count) {
  const double others = spread.ppn - 1;
  return on_each(spread.nodes, {others, spread.ppn * others, others * static_cast<double>(count) * facts["e"]});
}

PartCounts count_instead(const Facts& facts, const char* name) {
  const Case c{Collective::alltoall, static_cast<int>(facts["p"]), static_cast<Count>(facts["c"]),
               static_cast<std::int32_t>(facts["e"])};
  const Choice choice = default_choice(find_algorithm(c.collective, name));
  facts.see_part(kAllParts, c.ranks, number_of_choice(c.collective, name));
  const Facts flat(c, choice.parameters);
  const CountedOnce once(flat);
  return {choice.algorithm->rounds()(flat), choice.algorithm->messages()(flat), choice.algorithm->bytes()(flat)};
}

namespace {

/// Of each lane, the one on the root's node: not the same where lanes meet the nodes in different orders.
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

PartCounts count_rings_and_rooted_lanes(const Facts& facts, const Spread& spread, Collective collective) {
  const auto count = static_cast<Count>(facts["c"]);
  const std::vector<Rank> roots = roots_of_lanes(facts);
  const Blocks cut = Blocks::split(count, spread.ppn);
  PartCounts lanes;
  for (int lane = 0; lane < spread.ppn; ++lane)
    lanes = side_by_side(lanes, count_part(facts, collective, "lane", spread.nodes, cut.count(lane), roots[lane]));
  return count_rings(facts, spread, count) + lanes;
}

}  // namespace

PartCounts count_rooted(const Facts& facts, Collective collective) {
  const Spread spread(facts);
  if (!spread.equal) return count_flat(facts, collective, "lane");
  const auto count = static_cast<Count>(facts["c"]);
  const Count kept = Blocks::split(count, spread.ppn).count(spread.root_number);
  const double others = spread.ppn - 1;
  return count_rings_and_rooted_lanes(facts, spread, collective) +
         PartCounts{others, others, static_cast<double>(count - kept) * facts["e"]};
}

double least_rooted_rounds(const Facts& facts, Collective collective) {
  const Spread spread(facts);
  return spread.equal ? count_rings_and_rooted_lanes(facts, spread, collective).rounds
                      : count_rooted(facts, collective).rounds;
}

}  // namespace tutti
