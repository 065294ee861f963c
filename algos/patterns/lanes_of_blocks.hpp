#pragma once

#include "algos/patterns/hier.hpp"

namespace tutti {

// Full-lane algorithms (lanes.hpp) of blocks that are one rank's each, with any algorithm on the lanes: their parameter
// `lane` says it. Where nodes have not as many ranks each, or one, it serves all ranks.

/// Whether it does.
bool is_one_lane(const Comm& comm);

/// A reduce-scatter of blocks of any counts: on nodes around a ring, whose blocks are those of all ranks of a lane.
Task reduce_scatter_in_lanes(Comm comm, Call call);
PartCounts count_reduce_scatter_in_lanes(const Facts& facts);

/// Of a gather or scatter: all lanes, and one after the other on the root's node all blocks of each lane but its own.
PartCounts count_blocks_in_lanes(const Facts& facts);

/// For declaring them.
inline constexpr const char* kFullLane =
    "Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020";

}  // namespace tutti
