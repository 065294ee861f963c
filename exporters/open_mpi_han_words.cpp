#include "exporters/open_mpi_han_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "exporters/open_mpi_text.hpp"

namespace tutti {
namespace {

bool begins_a_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
}

}  // namespace

HanWords::HanWords(const std::string& text, std::string origin, std::ptrdiff_t first_line, Doubts* doubts)
    : rest_(text), origin_(std::move(origin)), line_(first_line), doubts_(doubts) {
  if (rest_.ends_with('\n')) rest_.remove_suffix(1);  // behind it there is no line
}

std::string HanWords::word() {
  constexpr std::size_t kLongest = 32;
  skip_blanks_and_comments(rest_, line_);
  std::string word(rest_.substr(0, std::min(rest_.find_first_of(kOpenMpiBlanks), kLongest)));
  rest_.remove_prefix(word.size());
  return word;
}

bool HanWords::take(char expected) {
  skip_blanks_and_comments(rest_, line_);
  if (!rest_.starts_with(expected)) return false;
  rest_.remove_prefix(1);
  return true;
}

bool HanWords::ends() {
  skip_blanks_and_comments(rest_, line_);
  return rest_.empty();
}

void HanWords::fail(const std::string& expected) const {
  throw InputError(origin_ + ":" + std::to_string(line_) + ": expected " + expected);
}

std::int64_t HanWords::next_number(const char* meaning, std::int64_t least, int base) {
  const std::string expected = fmt::format("{}, a whole number from {} on", meaning, least);
  skip_blanks_and_comments(rest_, line_);
  skip_what_is_no_number(expected);
  const std::string digits(rest_.substr(0, rest_.find_first_of(kOpenMpiBlanks)));
  const bool is_octal = base == 0 && digits.size() > 1 && digits[0] == '0';
  char* end = nullptr;
  errno = 0;
  const std::int64_t value = std::strtoll(digits.c_str(), &end, base);
  if (end == digits.c_str() || errno == ERANGE || value < least || (is_octal && !doubts_)) fail(expected);
  if (is_octal)
    doubts_->push_back({line(), "number", fmt::format("{} begins with 0", digits),
                        "Open MPI reads it as an octal or hexadecimal number", "leave out the 0 before it"});
  rest_.remove_prefix(static_cast<std::size_t>(end - digits.c_str()));
  const bool is_whole =
      rest_.empty() || rest_[0] == '#' || rest_[0] == ']' || kOpenMpiBlanks.find(rest_[0]) != kOpenMpiBlanks.npos;
  if (!is_whole && !doubts_) fail(expected);
  return value;
}

void HanWords::skip_what_is_no_number(const std::string& expected) {
  bool is_told = false;
  while (!begins_a_number(rest_)) {
    if (rest_.empty() || !doubts_) fail(expected);
    if (!is_told)
      doubts_->push_back(
          {line(), "number",
           fmt::format("{} stands where a number is expected", rest_.substr(0, rest_.find_first_of(kOpenMpiBlanks))),
           "Open MPI passes over it to the next number, which may be another one than was meant", "write " + expected});
    is_told = true;
    rest_.remove_prefix(1);
    skip_blanks_and_comments(rest_, line_);
  }
}

}  // namespace tutti
