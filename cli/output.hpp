#pragma once

#include <string>

namespace tutti::cli {

/// Writes a whole file or nothing: beside it first, then renamed over it. "-" is stdout. Throws InputError naming the
/// file.
void write_output(const std::string& path, const std::string& text);

}  // namespace tutti::cli
