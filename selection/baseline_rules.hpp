#pragma once

#include "selection/baselines.hpp"

namespace tutti {

/// The first of the baseline's rules that serves the case: of a library with a component that comes before these rules,
/// what they say where that leaves the call to them. `why` may be nullptr.
BaselinePick pick_by_rules(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why);

}  // namespace tutti
