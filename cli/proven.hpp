#pragma once

#include <set>
#include <string>
#include <vector>

#include "algos/call.hpp"

namespace tutti::cli {

/// Before something is chosen among the algorithms: proves what `tutti verify` does not go through by itself. Those are
/// choices that people name (knomial:radix=6) with other values, and the algorithms of plug-ins: the ones that the
/// choices name, or all where none is named, for each may be a part of another.
/// On 1 to 17 ranks, around 32 and 64, around one and two rounds of a large radix, and on those of `ranks` up to 257;
/// of those from there to 1,024 on the fewest and the most, with one element. Throws InputError with the failing case
/// where one is wrong. Call it where no other thread runs.
void expect_proven(const std::vector<std::string>& choices, const std::vector<Collective>& collectives,
                   const std::set<int>& ranks);

}  // namespace tutti::cli
