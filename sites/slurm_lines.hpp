#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/input_text.hpp"

namespace tutti {

/// The line without its comment, joined with those that go on with it: as Slurm reads its files, one that ends in an
/// odd number of backslashes is continued by the next, without a blank. `line` becomes the last of them.
std::string slurm_line(const InputText& text, int& line);

/// KEY=VALUE words of what slurm_line gives, keys in lower case; `line` is its first, for messages. A value goes to the
/// next word with '=' (Slurm's own tools print spaces in some). Throws where a line begins with no key.
std::vector<std::pair<std::string, std::string>> slurm_words(const InputText& text, int line, std::string_view said);

}  // namespace tutti
