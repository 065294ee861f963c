#pragma once

#include <string>
#include <vector>

#include "calibration/measurement.hpp"

namespace tutti {

/// Leaves out files, and of files of several runs the runs (with what else is the file's first, second … of its kind),
/// whose times between nodes are those of another machine: half as long again as another's or more, at the smallest or
/// the largest size that both have, and by more than `farther_seconds`, which the farthest nodes' ways take beyond the
/// nearest ones'. Taken is the one with which most others agree; of as many the one that is faster where they are
/// apart, for what disturbs a measurement makes it slower. Returns a line for each that is left out.
std::vector<std::string> leave_out_files_apart(std::vector<Series>& series, double farther_seconds);

}  // namespace tutti
