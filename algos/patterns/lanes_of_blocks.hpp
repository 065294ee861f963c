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

inline constexpr const char* kReduceScatterLaneRounds = "s-1, s ranks on a node, and those of the lane, at most";
inline constexpr const char* kReduceScatterLaneMessages =
    "p*(s-1), s ranks on a node, and those of the lane on each of s lanes";
inline constexpr const char* kReduceScatterLaneBytes =
    "nodes*(s-1)*n, s ranks on a node, and those of the lane on each of s lanes, with its ranks' blocks";
inline constexpr const char* kReduceScatterLaneDeviates =
    "on nodes it is a ring, where the paper calls MPI_Reduce_scatter_block, and blocks are copied into the lanes' "
    "order, where it has a datatype; lane also serves all ranks where nodes have not as many each";

}  // namespace tutti
