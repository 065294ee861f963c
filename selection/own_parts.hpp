#pragma once

#include "selection/baselines.hpp"

namespace tutti {

/// What a library's rules pick (pick_by_rules); of Open MPI's coll/tuned with its parts: some of its algorithms are
/// made of other collectives, for which it runs what it would choose had the program called them, so that the
/// parameters with their names are set to that (allreduce's reduce_bcast). `why` (may be nullptr) is told of each part.
BaselinePick pick_with_own_parts(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why);

/// Whether a collective's algorithms get such parts.
bool has_own_parts(const Baseline& baseline, Collective collective);

}  // namespace tutti
