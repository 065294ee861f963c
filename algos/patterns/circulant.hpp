#pragma once

#include <vector>

#include "algos/view.hpp"

namespace tutti {

// Circulant graphs: in round k each rank sends to the one `skip[k]` above it and receives from the one so many below.
// Traeff: Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast, Reduction and
// All-Reduction, arXiv 2407.18004; Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234.

/// By repeated halving, rounded up: 1 … size, one more than rounds (ceil(log2(size))). Of one rank: 1.
std::vector<int> circulant_skips(int size);

/// Which block virtual rank v receives from v - skip[k] in round k of a phase of a broadcast from 0: of the phase's own
/// blocks, 0 on, or, negative, of the one before; in each later phase as many more as it has rounds. Throws
/// std::logic_error where the search finds none.
std::vector<int> circulant_receive_schedule(const std::vector<int>& skips, int v);

/// What a rank does in each round of a broadcast of `blocks` blocks from virtual rank 0, in order: -1 is no message.
struct CirculantRound {
  Rank to, from;
  Count sent, received;
};
std::vector<CirculantRound> circulant_bcast_rounds(int size, int v, Count blocks);

}  // namespace tutti
