#pragma once

#include <cstddef>

#include "algos/blocks.hpp"
#include "algos/task.hpp"

namespace tutti {

// Reduce-scatter and allgather over a circulant graph (circulant.hpp), all blocks where they belong in the vector: a
// message is up to two runs of it, around its end, so that nothing is rotated. Traeff: Optimal, Non-pipelined
// Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234.

/// `number` blocks of a buffer from block `first` on, around the end.
View around(const Blocks& blocks, const View& buffer, int first, int number);

/// Sums this rank's block of `in` over all ranks into that block of `sum`, whose other blocks are left with parts of
/// sums. The two are the same view or disjoint. Every rank of the communicator calls it, with a commutative operator.
Task reduce_scatter_by_circulant_halving(Comm comm, View in, View sum, Blocks blocks);

/// Gathers all blocks of `vector` on every rank. At the start each has its own and those that follow, as after `done`
/// rounds. Every rank of the communicator calls it.
Task allgather_by_circulant_doubling(Comm comm, View vector, Blocks blocks, std::size_t done = 0);

}  // namespace tutti
