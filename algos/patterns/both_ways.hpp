#pragma once

#include <vector>

#include "algos/patterns/rotation.hpp"
#include "algos/task.hpp"

namespace tutti {

// Trivance (Juerss, Addanki, Schmid, arXiv 2602.17254): the ranks that one knows of are a window around it, which grows
// to both sides by what the two neighbours `away` know: threefold, and in the last step up to all ranks.

struct BothWays {
  int away, left, right;  // `away` is the width of the window before; it grows by so many blocks
};
std::vector<BothWays> both_ways_steps(int size);

/// The rank's window when it spans all ranks, which begins below the rank.
Rotation both_ways_window(Blocks blocks, Rank rank, const std::vector<BothWays>& steps);
/// The rank's own block in a buffer that holds that window.
View both_ways_own(const View& work, const Rotation& window, const std::vector<BothWays>& steps);

/// `work` holds the window. Each rank has its own block at first, and all at the end; every rank calls it.
Task collect_both_ways(Comm comm, View work, Rotation window, std::vector<BothWays> steps);
/// The same backwards: each rank has contributions to all blocks, at the end its own is complete. Commutative
/// operators.
Task reduce_both_ways(Comm comm, View work, Rotation window, std::vector<BothWays> steps);

}  // namespace tutti
