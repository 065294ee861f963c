#pragma once

#include <limits>

namespace tutti {

/// The time of what nobody has simulated: any other is less.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace tutti
