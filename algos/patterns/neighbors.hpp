#pragma once

#include "algos/registry.hpp"

namespace tutti {

// What algorithms among neighbours share.

/// The block for the rank's i-th target: its own of many, or the one that all get.
inline View outgoing(const Call& call, int i) {
  const bool one_for_all = call.out_is_blocked;
  return one_for_all ? call.in : call.blocks.of(call.in, i);
}

/// Elements of the sender's block for its i-th target.
inline Count elements_of_block(const Call& call, Rank sender, int i) {
  if (!call.exchange) return call.blocks.count(i);
  const Blocks& sent = call.exchange->all->exchange(sender).sent;
  return sent.count(sent.parts == 1 ? 0 : i);
}

/// How blocks go to those that they are for: each by itself; or one for all, once where those share a way.
enum class Way { each_block, one_for_all };

/// The blocks one behind the other, where they are if there is one; copies that this takes are added.
View packed(const Comm& comm, const std::vector<View>& blocks, std::vector<Op>& copies);

/// Receives from all sources and sends to all targets at once; what goes to the rank itself is copied.
Task neighbors_at_once(Comm comm, Call call);

/// The most other ranks that a rank sends to, or has something from: what is for one of them may travel as one.
double most_neighbors(const Facts& facts);
/// Each block by itself: it waits for the others of its sender and then for those of its receiver.
double most_rounds_at_once(const Facts& facts);
/// Of all blocks that go to another rank.
double neighbor_bytes(const Facts& facts);

}  // namespace tutti
