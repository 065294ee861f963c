#pragma once
// Reading a whole file.

#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// The file's bytes; nothing where it cannot be read, as a folder cannot.
std::optional<std::string> read_text_file(const std::string& path);

/// The file's bytes. Throws InputError that says why it cannot be read and that a readable `expected` was.
std::string text_of_file(const std::string& path, const std::string& expected);

/// The text behind a byte order mark, with which Windows' programs begin one.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace tutti
