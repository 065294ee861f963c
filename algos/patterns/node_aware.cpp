#include "algos/patterns/node_aware.hpp"

#include <algorithm>
#include <set>

#include "algos/patterns/node_places.hpp"

namespace tutti {
namespace {

void add_once(std::vector<SentBlock>& blocks, SentBlock block) {
  if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
}

void add_if_any(std::vector<NodeMessage>& messages, NodeMessage message) {
  if (message.from != message.to && !message.blocks.empty()) messages.push_back(std::move(message));
}

NodeAwareExchange exchange_of(const Facts& facts, Way way) {
  RanksByNode nodes;
  for (const NodePlace& place : places_of(facts)) {
    nodes.ranks.resize(std::max(nodes.ranks.size(), place.node + 1));
    nodes.ranks[place.node].push_back(static_cast<Rank>(nodes.of.size()));
    nodes.of.push_back(static_cast<int>(place.node));
  }
  return NodeAwareExchange(facts.neighborhood(), way, std::move(nodes));
}

/// Calls with (stage, message) for all messages.
template <class Body>
void for_each_node_message(const Facts& facts, Way way, Body body) {
  const NodeAwareExchange exchange = exchange_of(facts, way);
  for (Rank rank = 0; rank < facts.neighborhood().ranks(); ++rank)
    for (int stage = 0; stage < NodeAwareExchange::kStages; ++stage)
      for (const NodeMessage& message : exchange.sent(stage, rank)) body(stage, message);
}

}  // namespace

Rank NodeAwareExchange::at_border(int node, int other) const {
  const std::vector<Rank>& ranks = mates(node);
  return ranks[static_cast<std::size_t>(other) % ranks.size()];
}

NodeMessage NodeAwareExchange::to_border(Rank from, Rank to) const {
  NodeMessage message{from, to, {}};
  const auto targets = neighborhood_.targets(from);
  for (int i = 0; i < static_cast<int>(targets.size()); ++i) {
    const Rank target = targets[i].rank;
    if (target != kNobody && node(target) != node(from) && at_border(node(from), node(target)) == to)
      add_once(message.blocks, block(from, i));
  }
  return message;
}

NodeMessage NodeAwareExchange::between(int from, int to) const {
  NodeMessage message{at_border(from, to), at_border(to, from), {}};
  for (const Rank sender : mates(from)) {
    const auto targets = neighborhood_.targets(sender);
    for (int i = 0; i < static_cast<int>(targets.size()); ++i)
      if (const Rank target = targets[i].rank; target != kNobody && node(target) == to)
        add_once(message.blocks, block(sender, i));
  }
  return message;
}

NodeMessage NodeAwareExchange::within(Rank from, Rank to) const {
  NodeMessage message{from, to, {}};
  for (const Neighbor& source : neighborhood_.sources(to))
    if (source.rank == from) add_once(message.blocks, block(from, source.slot));
  return message;
}

NodeMessage NodeAwareExchange::from_border(Rank from, Rank to) const {
  NodeMessage message{from, to, {}};
  for (const Neighbor& source : neighborhood_.sources(to))
    if (source.rank != kNobody && node(source.rank) != node(to) && at_border(node(to), node(source.rank)) == from)
      add_once(message.blocks, block(source.rank, source.slot));
  return message;
}

std::vector<NodeMessage> NodeAwareExchange::sent(int stage, Rank rank) const {
  std::vector<NodeMessage> messages;
  const int own = node(rank), all = static_cast<int>(nodes_.ranks.size());
  if (stage == 1)
    for (int other = 0; other < all; ++other)
      if (other != own && at_border(own, other) == rank) add_if_any(messages, between(own, other));
  for (const Rank mate : mates(own))
    add_if_any(messages, stage == 0   ? to_border(rank, mate)
                         : stage == 1 ? within(rank, mate)
                                      : from_border(rank, mate));
  return messages;
}

std::vector<NodeMessage> NodeAwareExchange::received(int stage, Rank rank) const {
  std::vector<NodeMessage> messages;
  const int own = node(rank), all = static_cast<int>(nodes_.ranks.size());
  if (stage == 1)
    for (int other = 0; other < all; ++other)
      if (other != own && at_border(own, other) == rank) add_if_any(messages, between(other, own));
  for (const Rank mate : mates(own))
    add_if_any(messages, stage == 0   ? to_border(mate, rank)
                         : stage == 1 ? within(mate, rank)
                                      : from_border(mate, rank));
  return messages;
}

template <Way way>
double least_node_aware_rounds(const Facts& facts) {
  const auto ranks = static_cast<std::size_t>(facts.neighborhood().ranks());
  std::vector<std::set<Rank>> to(ranks), from(ranks);
  for_each_node_message(facts, way, [&](int, const NodeMessage& message) {
    to[message.from].insert(message.to);
    from[message.to].insert(message.from);
  });
  std::size_t most = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) most = std::max({most, to[rank].size(), from[rank].size()});
  return static_cast<double>(most);
}

template <Way way>
double most_node_aware_rounds(const Facts& facts) {
  struct OfStage {
    std::vector<int> to, from;
  };
  const std::vector<int> none(static_cast<std::size_t>(facts.neighborhood().ranks()), 0);
  std::vector<OfStage> stages(NodeAwareExchange::kStages, {none, none});
  for_each_node_message(facts, way, [&](int stage, const NodeMessage& message) {
    OfStage& here = stages[stage];
    ++here.to[message.from];
    ++here.from[message.to];
  });
  double rounds = 0;
  for (const auto& [to, from] : stages) {
    const int most = std::max(*std::max_element(to.begin(), to.end()), *std::max_element(from.begin(), from.end()));
    rounds += std::max(0, 2 * most - 1);
  }
  return rounds;
}

template <Way way>
double node_aware_messages(const Facts& facts) {
  double messages = 0;
  for_each_node_message(facts, way, [&](int, const NodeMessage&) { ++messages; });
  return messages;
}

template <Way way>
double node_aware_bytes(const Facts& facts) {
  double elements = 0;
  for_each_node_message(facts, way, [&](int, const NodeMessage& message) {
    for (const SentBlock& block : message.blocks)
      elements += static_cast<double>(facts.count_of_block(block.sender, block.slot));
  });
  return elements * facts["e"];
}

template double least_node_aware_rounds<Way::each_block>(const Facts&);
template double least_node_aware_rounds<Way::one_for_all>(const Facts&);
template double most_node_aware_rounds<Way::each_block>(const Facts&);
template double most_node_aware_rounds<Way::one_for_all>(const Facts&);
template double node_aware_messages<Way::each_block>(const Facts&);
template double node_aware_messages<Way::one_for_all>(const Facts&);
template double node_aware_bytes<Way::each_block>(const Facts&);
template double node_aware_bytes<Way::one_for_all>(const Facts&);

}  // namespace tutti
