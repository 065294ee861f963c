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

/// What all ranks have in their blocks of `in` that are for this rank, into its own block of `sum`, the others of which
/// end with parts of sums. The two are the same view or disjoint. Every rank of the communicator calls it, with a
/// commutative operator.
Task reduce_scatter_by_circulant_halving(Comm comm, View in, View sum, Blocks blocks);

/// Each rank has the blocks of `vector` from its own on that ranks know after the first `done` rounds; when the call is
/// over all have all. Every rank of the communicator calls it.
Task allgather_by_circulant_doubling(Comm comm, View vector, Blocks blocks, std::size_t done = 0);

}  // namespace tutti
