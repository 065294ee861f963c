#pragma once

#include <vector>

#include "selection/baselines.hpp"
#include "selection/search_result.hpp"

namespace tutti {

/// What a table's cells say of the choices that libraries make by themselves, which are among its candidates. Where
/// they are priced, the time of each, if it is known. Else the time that none of them falls below: as the best of the
/// cell is no slower, that is known however little is known of them.
void note_defaults(SearchResult& result, const std::vector<Choice>& candidates,
                   const std::vector<const Baseline*>& libraries, bool priced);

/// Throws std::logic_error where a rule takes longer, in a cell that it serves, than a default does there.
void expect_no_loss(const Table& table);

}  // namespace tutti
