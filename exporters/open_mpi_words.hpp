#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "selection/lint.hpp"

namespace tutti {

/// The words and numbers of Open MPI's rules files, one after the other, each with its line. Without doubts a number is
/// a decimal word of its own; else it is read as the library does (ompi_coll_base_file_getnext_* of coll_base_util.c):
/// it ends at what is no digit, and what is none is passed over.
class OpenMpiWords {
 public:
  /// With `doubts` it reads on wherever the library would, too, and adds what it thinks of that.
  OpenMpiWords(const std::string& text, std::string origin, std::ptrdiff_t first_line, Doubts* doubts);

  /// Up to the next blank. Empty at the file's end.
  std::string word();
  /// A leading 0 is octal to the library, 0x hexadecimal.
  std::int64_t number(const char* meaning, std::int64_t least = 0) { return next_number(meaning, least, 0); }
  /// Decimal to it, whatever it begins with.
  std::int64_t bytes(const char* meaning) { return next_number(meaning, 0, 10); }
  /// Whether this comes next, which is then taken.
  bool take(std::string_view expected);
  /// Whether a digit comes next on this line.
  bool is_followed_by_digit() const;
  /// Whether nothing but blanks and comments is left.
  bool ends();
  /// A last line without its end may be cut.
  bool is_last_line_whole() const { return is_last_line_whole_; }

  int line() const { return static_cast<int>(line_); }
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  std::int64_t next_number(const char* meaning, std::int64_t least, int base);
  bool begin_word();
  void pass_over(bool is_word, const std::string& expected);

  std::string_view rest_;
  std::string origin_;
  std::ptrdiff_t line_;
  bool is_last_line_whole_, is_within_word_ = false;
  Doubts* doubts_;
};

}  // namespace tutti
