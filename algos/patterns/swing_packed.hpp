#pragma once

#include "algos/patterns/swing.hpp"
#include "algos/task.hpp"

namespace tutti {

/// How an allreduce of any number of ranks falls into parts, on a torus of so many dimensions of the ranks but the last
/// one, where they are odd. Blocks of each part are one for each rank.
struct SwingParts {
  int dimensions, parts;
};

/// The steps of a reduce-scatter of the vector, or of an allgather of what that leaves, but for the last one of an odd
/// number of ranks, which does nothing. What goes to a peer and does not lie together is packed, so that it is one
/// message.
Task swing_phase(Comm comm, View vector, SwingParts parts, bool reduces);

/// Where ranks are odd, beside that: the last one exchanges a block with each other. When blocks are reduced what comes
/// lies in `into`, there at the rank's own block, at the last rank its blocks of all, one after the other.
Task exchange_with_last(Comm comm, View vector, View into, int parts, bool reduces);
/// Then that is added.
Task add_from_last(Comm comm, View vector, View from, int parts);

}  // namespace tutti
