#pragma once

#include <span>
#include <vector>

#include "selection/search.hpp"

namespace tutti {

/// A library that knows only the number of ranks makes one choice for all layouts of so many of them: the one whose
/// worst time, relative to the best of the layout, is least (cells_by_ranks). Of what a search of every layout by
/// itself left open, simulates what may change that choice of an Open MPI by more than the tolerance; the cells then
/// hold it. `layouts`: what was found for these candidates, of one collective, with as many ranks. Decides by the times
/// alone.
void settle_layouts(Simulations& simulations, const std::vector<Choice>& candidates, const SearchOptions& options,
                    std::span<SearchResult* const> layouts);

}  // namespace tutti
