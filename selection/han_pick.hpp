#pragma once

#include <functional>
#include <optional>

#include "selection/baselines.hpp"

namespace tutti {

/// What coll/tuned, Open MPI's component below coll/han, picks for a call on a communicator of its own. The explanation
/// may be nullptr.
using TunedPick = std::function<Choice(const Case&, Explanation*)>;

/// What Open MPI 5.0's coll/han does in this call; nothing where it leaves the call to coll/tuned, which comes after
/// it. It runs
///   * for seven collectives, and operators that commute;
///   * where several nodes have several ranks each;
///   * but for allreduce and barrier, where all nodes have as many ranks.
/// What runs on nodes is what coll/tuned picks on the fullest, which the others wait for. `why` (may be nullptr) is
/// told of both.
std::optional<BaselinePick> pick_of_han(const Case& c, const RanksOnNodes& on, const TunedPick& tuned,
                                        Explanation* why = nullptr);

}  // namespace tutti
