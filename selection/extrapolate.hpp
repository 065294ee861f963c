#pragma once

#include "selection/lower_bounds.hpp"
#include "selection/simulations.hpp"

namespace tutti {

/// Which experiments are worth simulating: those within either limit; and as they are, so that none is extrapolated,
/// those of up to `whole` messages, on as many ranks as send no more by a ring that goes round twice: 512. That costs
/// no more than the smaller ones that would tell of them. On more ranks it does (992: 2.5 times as much).
struct MessageBudget {
  double per_rank = 32;
  double in_all = 1 << 16;
  double whole = 1 << 19;
  /// As the user says it: simulations of more messages are extrapolated.
  static MessageBudget of(double most_messages);
  MessageBudget times(double factor) const { return {per_rank * factor, in_all * factor, whole}; }
  MessageBudget of_smaller() const { return {per_rank, in_all, 0}; }
  double most(int ranks) const;
};

/// So many times as many messages are simulated where nothing smaller tells of them, and where a choice is priced
/// beside what it replaces.
inline constexpr double kLargestBudgetFactor = 64;

/// Whether the budget allows to simulate this, as one that is asked for.
bool affordable(const Simulations& simulations, const Query& query, const MessageBudget& budget);

struct Evaluation {
  /// kRefused where the engine refuses, or what would be needed instead cannot be simulated either.
  Time time;
  bool simulated = true;
  double error = 0;  // by so much of it, an extrapolated time may be less or more
};

/// How far extrapolated times are from simulated ones, but for few (checks/extrapolation.py measures it): over nodes;
/// and over segments, where the line is straight. Where it bends before it begins, by as much more as a line of the
/// slope that was there before would be off. (docs/design.md says where that was measured.)
inline constexpr double kErrorOverSegments = 0.05, kErrorOverNodes = 0.40, kLargestError = 0.9;

/// The time of what is asked for, or that it is more than `most_seconds`. (If it was expected to be at most
/// `upper_seconds`, and these are fewer, the time itself, which refutes that.)
///
/// Simulated where the budget allows; else extrapolated along a straight line from two smaller experiments, in which
/// the same round comes less often:
///   - of fewer segments, at the same number of ranks: once a pipeline is filled, every further segment takes as long.
///     Whether it was filled says a third, smaller still. A reduction's buffers must not grow out of a cache, or to
///     where memory is fresh, on the way;
///   - else of fewer nodes, equally filled, with the same blocks: where a block goes to or through every rank, as in
///     rings and pairwise exchanges, every further node takes as long.
/// Where the budget allows none of these, up to kLargestBudgetFactor times the budget is spent, first on simulating
/// what is asked for as it is.
///
/// No message may be lost in the smaller ones; those that may be lost where it is asked for widen the error.
///
/// Of fewer nodes:
///   - nothing is extrapolated below the lower bounds, which hold what only the full number of nodes contends for;
///   - where what is declared (rounds, messages, bytes) is beyond the line through the smaller ones by more than the
///     error, as of what goes by the factors of the number of ranks, the error holds as much more;
///   - jobs that find the machine otherwise (Machine::for_job) tell nothing;
///   - where only one such number of nodes can be simulated, the time grows as its lower bound does. So does that of an
///     all-to-all that sends directly, whose bound knows of every link, if that is more.
Evaluation evaluate(Simulations& simulations, const std::string& engine, const Query& query,
                    const MessageBudget& budget, LowerBounds& bounds,
                    double most_seconds = std::numeric_limits<double>::infinity(),
                    double upper_seconds = std::numeric_limits<double>::infinity());

}  // namespace tutti
