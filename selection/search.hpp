#pragma once

#include <string>
#include <vector>

#include "selection/candidate_bounds.hpp"
#include "selection/extrapolate.hpp"

namespace tutti {

struct SearchOptions {
  std::string engine;
  double tolerance = 0.03;      // what can be faster than the best by no more than this is not simulated
  double near = 0.10;           // where something may be within so much of the best, the best is simulated too
  double own_tolerance = 0.20;  // else so well is its time known where no sizes beside tell it
  bool exhaustive = false;      // simulate every choice at every size
  MessageBudget budget;
  /// The libraries to whose own picks no choice may lose, and whether what is gained over them is to be known.
  std::vector<const Baseline*> defaults;
  bool price_defaults = false;
};

/// The cells of one place, of which `bytes` (ascending, as they will be simulated) are the sizes.
///
/// Every choice has two bounds at every size: at first what the model's lower bounds and other numbers of
/// nodes say (selection/node_bounds.hpp), then what the sizes that were simulated say of the others (SizeBounds).
/// Simulated next is whatever could be the fastest at the size where the best time is least known, until nothing can be
/// faster than the best by more than the tolerance. Every fourth size comes first, then those between: what is clearly
/// slower at sizes on either side is left out there. "The best" is asked for by every export target, for libraries'
/// tuning files are made from the same cells. A simulation ends when it is clear that the choice is none of these. What
/// was not simulated has its upper bound as its time, so that it is never chosen for less than it is worth. What a
/// library picks by itself is simulated unless it cannot be faster at all. Where defaults are priced, they are
/// simulated always, and so is what was inferred and leaves open which choice is best: if it takes
/// kDecidingBudgetFactor times the budget at most, and kLargestBudgetFactor where the choice may lose to a default.
/// Decides by the simulated times alone, so that the cells do not depend on who else searches.
SearchResult search_place(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                          const std::vector<Choice>& candidates, const SearchOptions& options,
                          const OtherNodes& other_nodes = {});

inline constexpr double kDecidingBudgetFactor = 4;

/// A simulation is let run for so many times as long as the best takes: longer at every fourth size, so that the sizes
/// between know that the choice is hopeless (CandidateBounds::is_slower_around), and where other places follow, for the
/// same reason.
inline constexpr double kClearlySlower = 1.65, kSlowerForOthers = 1.5, kSlower = 1.3;

}  // namespace tutti
