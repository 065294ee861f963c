#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "selection/baselines.hpp"

namespace tutti {

/// What coll/tuned, Open MPI's component below coll/han, picks for a call on a communicator of its own. The explanation
/// may be nullptr.
using TunedPick = std::function<Choice(const Case&, Explanation*)>;

/// What coll/han runs of a collective. `usual`: what it does by itself, in segments where the vector is long. `simple`:
/// what it does where it is told to ("@simple" in its file): the whole vector, one level after the other.
enum class HanVariant : std::uint8_t { usual, simple };
/// bcast, reduce and allreduce.
bool has_simple_variant(Collective collective);

/// What Open MPI 5.0's coll/han does in this call, told to run the variant, where there is one; nothing where it leaves
/// the call to coll/tuned, which comes after it. It runs
///   * for seven collectives, and operators that commute;
///   * where several nodes have several ranks each;
///   * but for allreduce and barrier, where all nodes have as many ranks.
/// What runs on nodes is what coll/tuned picks on the fullest, which the others wait for. `why` (may be nullptr) is
/// told of both.
std::optional<BaselinePick> pick_of_han(const Case& c, const RanksOnNodes& on, const TunedPick& tuned,
                                        Explanation* why = nullptr, HanVariant variant = HanVariant::usual);

}  // namespace tutti
