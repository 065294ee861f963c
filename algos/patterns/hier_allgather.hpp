#pragma once

#include "algos/patterns/hier_uneven.hpp"

namespace tutti {

/// An allgather by levels (hier.hpp): gathers at those that lead, nearest parts first, so that each has the blocks of
/// its part in order; between those that lead the farthest parts an allgather; and broadcasts of all blocks back down.
Task allgather_by_levels(Comm comm, Call call);
PartCounts count_allgather_by_levels(const Facts& facts);

}  // namespace tutti
