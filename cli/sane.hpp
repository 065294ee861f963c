#pragma once

#include <string>

#include "models/machine_files.hpp"

namespace tutti::cli {

/// Prints where predicted times jump on the machine, and the figure behind each, with its source. Returns kFinding
/// where a jump rests on a guess, or on no figure; or a published figure is missed without a reason.
/// `state`: a directory that keeps what is found, or empty.
int report_sanity(const ReadMachine& read, const std::string& origin, bool quick, const std::string& state);

}  // namespace tutti::cli
