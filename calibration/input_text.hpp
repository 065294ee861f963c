#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tutti {

/// A measurement file as lines without their ends ("\n" or "\r\n"). line(1) is the first.
class InputText {
 public:
  /// Throws InputError: not readable, empty, a NUL byte, or a last line without its end (the file may be cut there).
  /// `what` it should hold, for messages.
  static InputText load(const std::filesystem::path& file, std::string_view what = "measurements");
  /// The same of what people write by hand, and tools whole: the last line need not end (ends() says whether it does).
  static InputText load_open_ended(const std::filesystem::path& file, std::string_view what);

  const std::string& file() const { return file_; }
  bool ends() const { return ends_; }
  int lines() const { return static_cast<int>(lines_.size()); }
  std::string_view line(int number) const { return lines_[number - 1]; }

  /// "FILE:LINE: message", to be thrown.
  InputError error(int line, std::string_view message) const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
  bool ends_ = true;
};

std::string_view trim(std::string_view text);
std::vector<std::string_view> split_words(std::string_view text);
std::string lower(std::string_view text);

/// Whether the whole cell is a number as a benchmark prints one; "nan", "-inf" and "1e30" count.
bool looks_numeric(std::string_view cell);

/// A whole number of bytes in 0..2^53 (so that a double holds it exactly), else InputError at the line.
std::int64_t parse_bytes(const InputText& text, int line, std::string_view cell);

/// A finite number above 0, else InputError at the line; `what` names it.
double parse_positive(const InputText& text, int line, std::string_view cell, std::string_view what);

}  // namespace tutti
