#pragma once
// Reading a whole file.

#include <optional>
#include <string>

namespace tutti {

/// The file's bytes; nothing where it cannot be read, as a folder cannot.
std::optional<std::string> read_text_file(const std::string& path);

}  // namespace tutti
