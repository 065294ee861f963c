#pragma once

#include <optional>

#include "algos/registry.hpp"

namespace tutti {

/// The number of an algorithm in Open MPI's coll/tuned 5.0, where coll/han runs it on a node or between nodes
/// (ompi/mca/coll/tuned/coll_tuned_*_decision.c). Nothing where there is none.
std::optional<int> number_in_tuned(const Algorithm& algorithm);

}  // namespace tutti
