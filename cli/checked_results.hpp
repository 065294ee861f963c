#pragma once

#include <vector>

#include "algos/case.hpp"
#include "cli/simulated.hpp"

namespace tutti::cli {

// What `simulate --check` adds: messages carry the contributions of the proof.

/// Throws InputError where the case has more elements than are kept in memory.
void refuse_too_many_elements(const Case& c);
/// Says what is wrong on stderr, since stdout has the times. Returns kFinding or kDone.
int report_check(const std::vector<SimulatedRow>& rows);

}  // namespace tutti::cli
