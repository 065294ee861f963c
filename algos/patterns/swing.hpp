#pragma once

#include <vector>

#include "algos/blocks.hpp"

namespace tutti {

/// One of the collectives into which Swing (De Sensi et al., NSDI 2024, arXiv 2401.09356) divides an allreduce on a
/// torus: it begins with a dimension of its own and takes them in turn; half of them go the other way round.
struct SwingPart {
  int first_dimension;
  bool mirrored;
};

/// What a rank does in a step: whom it meets, and which half of the blocks that both are concerned with it keeps.
struct SwingStep {
  Rank peer;
  bool keeps_upper;
};

/// The steps of `size` ranks, a power of two, on a torus of so many dimensions that are as equal as powers of two can
/// be, the first one the longest, and the one in which neighbours in rank order are neighbours. Another even number has
/// a torus of even lengths, or fewer dimensions where it is no product of so many.
std::vector<SwingStep> swing_steps(int size, Rank rank, int dimensions, SwingPart part);

/// What a rank does with a step's half of the vector: recursive halving, and back.
struct SwingExchange {
  Rank peer;
  View kept, given, inbox;
};
/// Of each of so many parts of `vector` the steps of recursive halving; what comes has its place in `inbox`.
std::vector<std::vector<SwingExchange>> swing_exchanges(int size, Rank rank, int dimensions, int parts,
                                                        const View& vector, const View& inbox);

/// Blocks that follow one another.
struct BlockRun {
  int first, blocks;
};
/// What a rank does in a step with a block for each rank: those that it gives away in a reduce-scatter and gets in an
/// allgather by the steps backwards, and those of its peer. A block that comes two ways is taken the first time.
struct SwingBlocks {
  Rank peer;
  std::vector<BlockRun> given, kept;
};
/// Of an even number of ranks.
std::vector<SwingBlocks> swing_blocks(int size, Rank rank, int dimensions, SwingPart part);
int swing_step_count(int size, int dimensions);

}  // namespace tutti
