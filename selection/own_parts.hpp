#pragma once

#include "selection/han_pick.hpp"

namespace tutti {

// Some algorithms of Open MPI's coll/tuned are made of other collectives, for which it runs what it would choose had
// the program called them. In ours, parameters with the collectives' names say which by number (allreduce's
// reduce_bcast).

/// Whether the choice has such parameters, which no tuning file can set.
bool has_parts(const Choice& choice);
/// The choice with the parts that coll/tuned picks. `why` (may be nullptr) is told of each.
Choice with_parts(Choice choice, const Case& c, const TunedPick& tuned, Explanation* why);

/// What a library's rules pick (pick_by_rules), of coll/tuned with its parts.
BaselinePick pick_with_own_parts(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why);
/// Whether a collective's algorithms get such parts.
bool has_own_parts(const Baseline& baseline, Collective collective);

}  // namespace tutti
