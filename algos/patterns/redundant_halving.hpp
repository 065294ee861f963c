#pragma once

#include <vector>

#include "algos/blocks.hpp"
#include "algos/task.hpp"

namespace tutti {

// A reduce-scatter over a circulant graph by halving that leaves each rank more blocks than its own, so that less is to
// be collected afterwards. Kolmakov, Zhang: A Generalization of the Allreduce Operation, arXiv 2004.09362.

/// The sums of blocks that a rank holds for those at a distance of [from, to) below the block's own rank: all are over
/// the same ranks, counted from the holder. Made of the rank's own sums of the step before, by their place there, and
/// of those that arrive, if any do.
struct SumPiece {
  int from, to;
  int own = -1, arrived = -1;
};
/// By step, the inputs first; in step i the rank that is skips[q - i] below sends. Distances are from 0 to that skip.
std::vector<std::vector<SumPiece>> sum_pieces(const std::vector<int>& skips);

/// What arrives in a step of the sums of one piece of the step before: blocks from this distance on.
struct SumPart {
  int piece, from, number;
};
/// In the order in which they lie in the step's message, where each rank is to have the sums of `kept` blocks. Of
/// `ranks` blocks no more are sent than there are.
std::vector<SumPart> arriving_parts(const std::vector<SumPiece>& pieces, int kept, int ranks);

/// The sums of the `kept` blocks from the rank's own on, around the end, of the call's input, into `to`, which has room
/// for all blocks. Every skip of the circulant graph is used, the largest first.
Task reduce_by_redundant_halving(Comm comm, View in, View to, Blocks blocks, std::vector<int> skips, int kept);
}  // namespace tutti
