#pragma once

#include "algos/registry.hpp"

namespace tutti {

// What algorithms among neighbours share.

/// The block for the rank's i-th target: its own of many, or the one that all get.
inline View outgoing(const Call& call, int i) {
  const bool one_for_all = call.out_is_blocked;
  return one_for_all ? call.in : call.blocks.of(call.in, i);
}

/// Receives from all sources and sends to all targets at once; what goes to the rank itself is copied.
Task neighbors_at_once(Comm comm, Call call);

/// The most other ranks that a rank sends to, or has something from: what is for one of them may travel as one.
double most_neighbors(const Facts& facts);
/// Each block by itself: it waits for the others of its sender and then for those of its receiver.
double most_rounds_at_once(const Facts& facts);
/// Of all blocks that go to another rank.
double neighbor_bytes(const Facts& facts);

}  // namespace tutti
