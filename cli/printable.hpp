#pragma once

#include <string>

namespace tutti::cli {

/// What files are quoted by, for a terminal: blanks for control characters, U+FFFD for bytes that are no UTF-8.
std::string printable(std::string text);

}  // namespace tutti::cli
