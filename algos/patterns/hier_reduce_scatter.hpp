#pragma once

#include "algos/patterns/hier.hpp"

namespace tutti {

/// A reduce-scatter by levels (hier.hpp) of blocks of any sizes where parts have not as many ranks each: the way of
/// alltoallv_by_levels() back. Inside the nearest part each rank gets the part's sums of the blocks that it stands for,
/// at each division from every part, in one message, that part's sums of what it stands for beyond it.
Task reduce_scatter_of_parts(Comm comm, Call call);

/// What all stages take; `blocks`: of all ranks.
PartCounts count_reduce_scatter_of_parts(const Facts& facts, const Blocks& blocks);

}  // namespace tutti
