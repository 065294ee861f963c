#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

/// Throws InputError naming the file unless it could be written: before long work, or before the first of two files.
void expect_writable(const std::string& path);
/// Throws InputError, for no input is written over: where an output is the same file as an input or another output, be
/// it by another name or through a link. "-" is stdout; empty names are passed over.
void expect_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);
/// Writes a whole file or nothing: beside it first, then renamed over it. "-" is stdout. Throws InputError naming the
/// file.
void write_output(const std::string& path, const std::string& text);

}  // namespace tutti::cli
