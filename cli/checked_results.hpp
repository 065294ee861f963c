#pragma once

#include <vector>

#include "cli/simulated.hpp"

namespace tutti::cli {

// What `simulate --check` adds: messages carry the contributions of the proof.

/// Says what is wrong on stderr, since stdout has the times. Returns kFinding or kDone.
int report_check(const std::vector<SimulatedRow>& rows);

}  // namespace tutti::cli
