#pragma once

#include <string>
#include <vector>

#include "calibration/distance_curves.hpp"

namespace tutti {

/// Leaves sizes out of the curve that stand out of it: times that rise by far more than bytes do and fall again (a fall
/// alone is a change of protocol: a factor of 4.3 on a node of Genoa's), or fall and then rise so; and a long message
/// that takes less than one of a thousandth of its bytes. Returns a line for each. Throws InputError where as many
/// sizes speak for as against.
std::vector<std::string> leave_out_falls(DistanceCurve& curve);

}  // namespace tutti
