#pragma once

#include "algos/patterns/hier_uneven.hpp"

namespace tutti {

/// A composition by levels (hier.hpp) of an exchange whose blocks have any counts, from each rank to each, which all
/// know. No rank leads: at each division every one sends, in one message to each part, all that it has for that part's
/// ranks, to the one with its number there; inside the nearest parts all goes to whom it is for. Where parts have not
/// as many ranks, numbers go on from the first again: a small part's ranks each stand for several numbers, and what is
/// not empty is sent at once, in place of the level's algorithm.
Task alltoallv_by_levels(Comm comm, Call call);

/// What all stages take on all ranks.
PartCounts count_alltoallv_by_levels(const Facts& facts);

}  // namespace tutti
