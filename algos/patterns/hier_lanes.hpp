#pragma once

#include "algos/patterns/hier.hpp"

namespace tutti {

// Compositions by levels (hier.hpp) in which no rank leads: where parts have as many ranks each, every one goes across
// with those that have its number, on a lane of its own. Where they have not, hier_exchange.hpp and
// hier_reduce_scatter.hpp say what runs.

/// Ranks in the order in which blocks of all of them lie inside the nearest part: for each of its ranks those that it
/// meets in the division before, for each of these those of the one before that, and so on.
std::vector<Rank> ranks_behind(const std::vector<Stage>& all);

/// What was held for each of a whole's ranks, to lie part by part; and what came over a lane, part by part, to lie rank
/// by rank of the own one.
std::vector<Op> part_by_part(const Comm& comm, const Stage& stage, const View& to, const View& from);
std::vector<Op> rank_by_rank(const Comm& comm, const Stage& stage, const View& to, const View& from);

/// The call's blocks of these ranks, one after the other, each as large as the largest: where one is an element
/// smaller, any one follows it.
std::vector<Op> blocks_of_one_size(const Comm& comm, const Call& call, const std::vector<Rank>& ranks, const View& to);

/// A reduce-scatter of blocks of one size, and for the last ranks one element more where they are smaller: inside the
/// nearest part, then across, nearest division first.
Task reduce_scatter_by_levels(Comm comm, Call call);

/// For declaring them.
inline constexpr const char* kLanesByLevels =
    "Traeff, Hunold: Decomposing MPI Collectives for Exploiting Multi-lane Communication, CLUSTER 2020, at any level";
#define TUTTI_SUMS_OF_LEVELS                                                                                         \
  "levels of any machine, each with an algorithm of its own; where parts have not as many ranks, a rank of a small " \
  "one stands for several numbers, and sums go at once to whom they are for, as pairwise does one after the other"

/// What all stages take on all lanes.
PartCounts count_reduce_scatter_by_levels(const Facts& facts);
PartCounts count_reduce_scatter_block_by_levels(const Facts& facts);
PartCounts count_alltoall_by_levels(const Facts& facts);

}  // namespace tutti
