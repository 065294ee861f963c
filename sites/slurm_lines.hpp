#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "calibration/input_text.hpp"

namespace tutti {

/// KEY=VALUE words of a line of Slurm's files, keys in lower case; a comment is taken off. A value goes to the next
/// word with '=' (Slurm's own tools print spaces in some). Throws where a line begins with no key.
std::vector<std::pair<std::string, std::string>> slurm_words(const InputText& text, int line);

}  // namespace tutti
