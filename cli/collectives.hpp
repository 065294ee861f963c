#pragma once

#include <string>
#include <vector>

#include "algos/call.hpp"

namespace tutti::cli {

/// Those of these names; of none, and of "all" alone, the regular ones, which a table may hold. Throws InputError.
std::vector<Collective> collectives_named(const std::vector<std::string>& names);

/// Any but those among neighbours. Throws InputError.
Collective collective_of_all_ranks(const std::string& name);

/// Those whose blocks may differ, all of them where none is named. Throws InputError on unknown names.
std::vector<Collective> irregular_collectives_named(const std::vector<std::string>& names);

}  // namespace tutti::cli
