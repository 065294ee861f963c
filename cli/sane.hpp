#pragma once

#include <string>

#include "models/machine.hpp"

namespace tutti::cli {

/// Prints where predicted times jump on the machine, and the figure behind each, with its source. Returns kFinding
/// where a jump rests on a guess, or on no figure; or a published figure is missed without a reason.
int report_sanity(const Machine& machine, const std::string& text, const std::string& origin, bool quick);

}  // namespace tutti::cli
