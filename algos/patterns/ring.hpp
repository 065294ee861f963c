#pragma once

#include "algos/blocks.hpp"
#include "algos/task.hpp"

namespace tutti {

/// The two halves of the ring allreduce; every rank of the communicator calls them. Both send to the right (rank + 1).

/// Reduces `vector` around the ring. Rank r starts by sending its block `first` (the same distance from r on every
/// rank); a block gathers contributions as it travels, and when the call is over rank r's block first + 1 is complete,
/// its other blocks partial. Of each block only the piece numbered `piece` of `pieces` nearly equal ones is reduced.
/// Each block combines in the order in which it meets the ranks: for commutative operators only.
/// Receives into two buffers in turn, so that a block can arrive while the previous one is combined.
Task reduce_around_ring(Comm comm, View vector, Blocks blocks, int first, Count pieces = 1, Count piece = 0);

/// Passes complete blocks on until all ranks have all: rank r has block `first` of `vector` to start with.
Task collect_around_ring(Comm comm, View vector, Blocks blocks, int first);

}  // namespace tutti
