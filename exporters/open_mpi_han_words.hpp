#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "selection/lint.hpp"

namespace tutti {

/// The words and numbers of coll/han's file, one after the other, as its reader takes them (coll_base_util.c).
class HanWords {
 public:
  /// With `doubts` it reads on wherever the library would, too, and adds what it thinks of that.
  HanWords(const std::string& text, std::string origin, std::ptrdiff_t first_line, Doubts* doubts);

  /// Up to the next blank. Empty at the file's end.
  std::string word();
  /// A leading 0 is octal to the library.
  std::int64_t number(const char* meaning, std::int64_t least) { return next_number(meaning, least, 0); }
  /// Decimal to it, whatever it begins with.
  std::int64_t bytes(const char* meaning) { return next_number(meaning, 0, 10); }
  /// Whether this character comes next, which is then taken.
  bool take(char expected);
  /// Whether nothing but blanks and comments is left.
  bool ends();

  int line() const { return static_cast<int>(line_); }
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  std::int64_t next_number(const char* meaning, std::int64_t least, int base);
  void skip_what_is_no_number(const std::string& expected);

  std::string_view rest_;
  std::string origin_;
  std::ptrdiff_t line_;
  Doubts* doubts_;
};

}  // namespace tutti
