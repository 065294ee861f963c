#pragma once

#include <string>
#include <vector>

#include "algos/registry.hpp"

namespace tutti::cli {

/// What an arm of a plan may be beside an algorithm: what the team chooses by its table, or what a library would pick.
inline constexpr std::string_view kTableArm = "table", kDefaultArm = "default:";

/// What is compared at one size: by name, "ring:segment=8192", "table" or "default:mpich".
struct PlannedCell {
  Collective collective = Collective::barrier;
  std::int64_t bytes = 0;  // total
  std::vector<std::string> arms;
  int line = 0;  // of the first of them
};

/// The cells for `ranks` ranks of a file of lines COLLECTIVE RANKS BYTES ARM (docs/formats.md); lines for others are
/// checked all the same. Throws InputError "FILE:LINE: what was expected".
std::vector<PlannedCell> read_plan(const std::string& path, int ranks);

}  // namespace tutti::cli
