#include <map>

#include "algos/patterns/node_aware.hpp"

namespace tutti {
namespace {

RanksByNode ranks_by_node(const Comm& comm) {
  RanksByNode nodes;
  nodes.of.assign(static_cast<std::size_t>(comm.size()), -1);
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (nodes.of[rank] >= 0) continue;
    for (const Rank mate : nodes.ranks.emplace_back(comm.mates_of(rank, Level::node)))
      nodes.of[mate] = static_cast<int>(nodes.ranks.size()) - 1;
  }
  return nodes;
}

/// Where a rank has blocks, and where they are to be in the end.
class HeldBlocks {
 public:
  HeldBlocks(const Call& call, Rank rank, Way way)
      : call_(call), rank_(rank), way_(way), sources_(call.neighborhood->sources(rank)) {}

  View operator[](SentBlock block) const {
    return block.sender == rank_ ? outgoing(call_, block.slot) : blocks_.at(block);
  }
  /// What comes is one block after the other; a single one that is for this rank comes to its place.
  View receive(const Comm& comm, const NodeMessage& message, bool for_this_rank) {
    Count total = 0;
    for (const SentBlock& block : message.blocks) total += elements_of_block(call_, block.sender, block.slot);
    const bool in_place = for_this_rank && message.blocks.size() == 1;
    const View all = in_place ? call_.incoming(first_source(message.blocks[0])) : comm.scratch(total);
    Count at = 0;
    for (const SentBlock& block : message.blocks) {
      const Count elements = elements_of_block(call_, block.sender, block.slot);
      blocks_[block] = all.slice(at, elements);
      at += elements;
    }
    return all;
  }
  void copy_to_their_places(const Comm& comm) const {
    for (int i = 0; i < static_cast<int>(sources_.size()); ++i)
      if (sources_[i].rank != kNobody) comm.copy(call_.incoming(i), (*this)[from_source(i)]);
  }

 private:
  SentBlock from_source(int i) const {
    const Neighbor& source = sources_[i];
    return {source.rank, way_ == Way::one_for_all ? 0 : source.slot};
  }
  int first_source(SentBlock block) const {
    int i = 0;
    while (from_source(i) != block) ++i;
    return i;
  }

  Call call_;
  Rank rank_;
  Way way_;
  std::span<const Neighbor> sources_;
  std::map<SentBlock, View> blocks_;
};

}  // namespace

Task exchange_node_aware(Comm comm, Call call) {
  const Rank rank = comm.rank();
  const Way way = call.out_is_blocked ? Way::one_for_all : Way::each_block;
  const NodeAwareExchange exchange(*call.neighborhood, way, ranks_by_node(comm));
  HeldBlocks held(call, rank, way);
  std::vector<Op> ops;
  for (int stage = 0; stage < NodeAwareExchange::kStages; ++stage) {
    const std::vector<NodeMessage> sent = exchange.sent(stage, rank), received = exchange.received(stage, rank);
    std::vector<View> leaving;
    ops.clear();
    for (const NodeMessage& message : sent) {
      std::vector<View> blocks;
      for (const SentBlock& block : message.blocks) blocks.push_back(held[block]);
      leaving.push_back(packed(comm, blocks, ops));
    }
    co_await comm.wait(ops);
    ops.clear();
    for (const NodeMessage& message : received) {
      const bool for_this_rank = stage == 2 || (stage == 1 && exchange.node(message.from) == exchange.node(rank));
      ops.push_back(comm.recv(message.from, held.receive(comm, message, for_this_rank)));
    }
    for (std::size_t i = 0; i < sent.size(); ++i) ops.push_back(comm.send(sent[i].to, leaving[i]));
    co_await comm.wait(ops);
  }
  held.copy_to_their_places(comm);
}

}  // namespace tutti
