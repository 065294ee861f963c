#pragma once

#include <optional>
#include <string>

#include "selection/export.hpp"
#include "selection/han_pick.hpp"

namespace tutti {

// Some algorithms of Open MPI's coll/tuned are made of other collectives, for which it runs what it would choose had
// the program called them. In ours, parameters with the collectives' names say which by number (allreduce's
// reduce_bcast).

/// Whether the choice has such parameters, which no tuning file can set.
bool has_parts(const Choice& choice);
/// With these at their defaults: as a library names it, whatever it runs inside.
Choice without_parts(Choice choice);
/// The choice with the parts that coll/tuned picks. `why` (may be nullptr) is told of each.
Choice with_parts(Choice choice, const Case& c, const TunedPick& tuned, Explanation* why);

/// Which of the parts coll/han serves, which no number of coll/tuned says; empty: none.
std::string remark_of_parts(const Baseline& baseline, const Choice& choice, const Case& c, const RanksOnNodes& on);

/// What a library's rules pick for a communicator of its own. The baseline must outlive it.
TunedPick picks_by_rules(const Baseline& baseline);
/// What a library's rules pick (pick_by_rules), of coll/tuned with its parts.
BaselinePick pick_with_own_parts(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why);
/// Whether coll/tuned's rules for the collective name an algorithm with parts.
bool rules_have_parts(const Baseline& baseline, Collective collective);

/// What runs under a file: what that says, or what it makes of the library's own choice, which may be made of other
/// collectives. Nothing where that is as without the file, or not known (`library` is nullptr). `why` is told of it.
std::optional<Choice> choice_under(const TuningFile& file, const Case& c, const RanksOnNodes& on,
                                   const Baseline* library, Explanation* why = nullptr);

}  // namespace tutti
