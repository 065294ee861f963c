#pragma once

#include <string>
#include <vector>

#include "selection/extrapolate.hpp"
#include "selection/simulations.hpp"
#include "tables/table.hpp"

namespace tutti {

struct SearchOptions {
  std::string engine;
  double tolerance = 0.03;  // what can be faster than the best by no more than this is not simulated
  bool exhaustive = false;  // simulate every choice at every size
  MessageBudget budget;
};

struct Found {
  std::vector<Cell> cells;
  std::int64_t refused = 0, dropped = 0;  // candidates of cells: by the engine; by a lower bound
  Place place;
  std::vector<std::vector<double>> least_seconds;  // by candidate and size: lower bounds, 0 where it does not run
};

/// The cells of one place, of which `bytes` (ascending, as they will be simulated) are the sizes.
///
/// Every choice has two bounds at every size: at first what the model's lower bounds say, then what the sizes that were
/// simulated say of the others (TimeCurve). Simulated next is whatever could be the fastest at the size where the best
/// time is least known, until nothing can be faster than the best by more than the tolerance. "The best" is asked for
/// thrice: of all choices, of those that Open MPI has, and of those that MPICH has, for these libraries' tuning files
/// are made from the same cells. What was not simulated has its upper bound as its time, so that it is never chosen
/// for less than it is worth. Decides by the simulated times alone, so that the cells do not depend on who else
/// searches.
///
/// `fewer_nodes`, if not nullptr, is what was found for the same candidates and sizes (blocks, where sizes are those of
/// blocks) on fewer nodes, equally filled, and both numbers of ranks are powers of two, or this one is none: more ranks
/// take no less than four fifths of the time.
Found search_place(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                   const std::vector<Choice>& candidates, const SearchOptions& options,
                   const Found* fewer_nodes = nullptr);

}  // namespace tutti
