#pragma once

#include <span>
#include <vector>

#include "selection/search.hpp"

namespace tutti {

/// A library that sees nothing but the number of ranks makes one choice for all layouts with as many: the one whose
/// worst time, relative to the best of each layout, is least (cells_by_ranks). A search of every layout by itself
/// leaves some times open. Those that may change that choice of an Open MPI by more than the tolerance are simulated
/// here, and added to the cells. `layouts`: what was found for these candidates, of one collective, on layouts with as
/// many ranks. Decides by the times alone.
void settle_layouts(Simulations& simulations, const std::vector<Choice>& candidates, const SearchOptions& options,
                    std::span<SearchResult* const> layouts);

}  // namespace tutti
