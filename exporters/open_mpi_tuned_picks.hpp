#pragma once

#include <cstdint>
#include <set>

#include "algos/registry.hpp"
#include "selection/explanation.hpp"

namespace tutti {

/// What the built-in rules of Open MPI 5.0's coll/tuned pick for a communicator, whatever nodes its ranks are on. `why`
/// (may be nullptr) is told how that came about.
Choice tuned_pick(const Case& c, Explanation* why = nullptr);
/// The sizes, in the `total` convention, from which on they may pick another algorithm on so many ranks; 0 among them.
std::set<std::int64_t> tuned_thresholds(Collective collective, int ranks);

}  // namespace tutti
