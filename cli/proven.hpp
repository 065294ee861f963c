#pragma once

#include <string>
#include <vector>

#include "algos/call.hpp"

namespace tutti::cli {

/// Choices that people name (knomial:radix=6) may have values that `tutti verify` does not go through by itself: proves
/// those, on 1 to 17 ranks and around 32 and 64. Throws InputError with the failing case where one is wrong.
/// Call it where no other thread runs.
void expect_proven(const std::vector<std::string>& choices, const std::vector<Collective>& collectives);

}  // namespace tutti::cli
