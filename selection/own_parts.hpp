#pragma once

#include "selection/han_pick.hpp"

namespace tutti {

/// Some of coll/tuned's algorithms are made of other collectives, for which Open MPI runs what it would choose had the
/// program called them: here the parameters with the collectives' names are set to that (allreduce's reduce_bcast).
/// `on`: where the ranks are; `why` (may be nullptr) is told of each part.
BaselinePick with_own_parts(BaselinePick picked, const Case& c, const RanksOnNodes& on, bool has_han,
                            const TunedPick& tuned, Explanation* why);

}  // namespace tutti
