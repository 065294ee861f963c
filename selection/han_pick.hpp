#pragma once

#include <functional>
#include <optional>

#include "selection/baselines.hpp"

namespace tutti {

/// What coll/tuned, Open MPI's component below coll/han, picks for a call on a communicator of its own. The explanation
/// may be nullptr.
using TunedPick = std::function<Choice(const Case&, Explanation*)>;

/// What Open MPI 5.0's coll/han, which comes before coll/tuned, does in this call: nothing where it leaves the call to
/// that. It runs where several nodes have several ranks, for seven collectives and operators that commute; but for
/// allreduce and barrier all nodes must have as many, which is taken for so where the ranks divide among them.
/// `why` (may be nullptr) is told of both.
std::optional<BaselinePick> pick_of_han(const Case& c, int nodes, const TunedPick& tuned, Explanation* why = nullptr);

}  // namespace tutti
