#pragma once

#include <string>
#include <vector>

#include "calibration/jumps.hpp"

namespace tutti {

/// Jumps as text, exactly, and back. Throws InputError on a text that is none.
std::string text_of(const std::vector<Jump>& jumps);
std::vector<Jump> jumps_of(const std::string& text);

}  // namespace tutti
