#include "algos/patterns/hier.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {
namespace {

Rank number_of(Rank rank, const std::vector<Rank>& mates) {
  return static_cast<Rank>(std::lower_bound(mates.begin(), mates.end(), rank) - mates.begin());
}

Count count_of(Collective collective, const Call& call) {
  return collective == Collective::bcast ? call.out.elements() : call.in.elements();
}

/// What runs in the case, which calls may refer to.
const Choice& that_runs(std::int64_t number, const Case& c) {
  const Choice& choice = choice_of_number(number);
  if (choice.algorithm->fallbacks().empty() && choice.algorithm->requirements().empty()) return choice;
  if (const std::string reason = why_not(choice, c); !reason.empty())
    throw InputError(choice.algorithm->full_name() + " on " + std::to_string(c.ranks) + " ranks: it " + reason);
  return choice_of_number(number_of_choice(c.collective, resolve(choice, c).text()));
}

}  // namespace

RootedLevels::RootedLevels(const Comm& comm, Rank root)
    : node(comm.group(Level::node)),
      across(comm.is_equal(Level::node) ? comm.peers(Level::node) : comm.leaders(Level::node)),
      leader(comm.is_equal(Level::node) ? number_of(root, comm.mates_of(root, Level::node)) : 0),
      stand_in(comm.is_equal(Level::node) ? root : comm.leader_of(root, Level::node)),
      leads(node.rank() == leader) {}

Task run_choice(Comm comm, const char* parameter, const Call& whole, const Call& part) {
  const std::int64_t number = whole.parameter(parameter);
  const Collective collective = choice_of_number(number).algorithm->collective();
  const Choice& choice = that_runs(number, {collective, comm.size(), count_of(collective, part), part.element_bytes,
                                            part.root, part.in_place, part.op});
  Call call = part;
  call.parameters = Parameters(choice.parameters);
  return choice.algorithm->function()(comm, call);
}

PartCounts count_choice(const Facts& whole, const char* parameter, int ranks, Count count, Rank root) {
  const auto number = static_cast<std::int64_t>(whole[parameter]);
  const Case c{choice_of_number(number).algorithm->collective(), ranks, count, static_cast<std::int32_t>(whole["e"]),
               root};
  const Choice& choice = that_runs(number, c);
  const Algorithm& algorithm = *choice.algorithm;
  const Facts facts(c, choice.parameters);
  const Quantity& rounds = algorithm.most_rounds().text().empty() ? algorithm.rounds() : algorithm.most_rounds();
  return {rounds(facts) * algorithm.ports()(facts), algorithm.messages()(facts), algorithm.bytes()(facts)};
}

PartCounts count_on_nodes(const Facts& whole, const char* parameter, Count count, Rank leader) {
  return on_nodes(node_sizes(whole), [&](int size) { return count_choice(whole, parameter, size, count, leader); });
}

RootedSpread::RootedSpread(const Facts& facts) {
  const Spread spread(facts);
  const auto root = static_cast<std::size_t>(facts["root"]);
  const NodePlace place = place_of(facts, static_cast<Rank>(root));
  nodes = spread.nodes;
  leader = spread.equal ? spread.root_number : 0;
  stand_in_across = spread.equal ? spread.root_across : static_cast<Rank>(place.node);
  hands_over = !spread.equal && place.number != 0;
}

PartCounts count_handing_over(const Facts& facts, const RootedSpread& spread, Count count) {
  if (!spread.hands_over) return {};
  return {1, 1, static_cast<double>(count) * facts["e"]};
}

}  // namespace tutti
