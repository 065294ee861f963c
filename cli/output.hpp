#pragma once

#include <string>

namespace tutti::cli {

/// Throws InputError naming the file unless it could be written: before long work, or before the first of two files.
void expect_writable(const std::string& path);
/// Writes a whole file or nothing: beside it first, then renamed over it. "-" is stdout. Throws InputError naming the
/// file.
void write_output(const std::string& path, const std::string& text);

}  // namespace tutti::cli
