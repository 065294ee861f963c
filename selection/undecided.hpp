#pragma once

#include "selection/search_result.hpp"

namespace tutti {

/// Notes in each cell which candidates may be faster than the one that it says to take least, by more than the
/// tolerance: those that could not be simulated, or inferred well enough.
void note_undecided(SearchResult& result, const std::vector<Choice>& candidates, double tolerance);

/// What prices beside the table's best say of so many cells that are undecided; empty: of none.
std::string undecided_text(std::size_t cells);

}  // namespace tutti
