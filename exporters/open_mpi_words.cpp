#include "exporters/open_mpi_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";  // isspace

/// Takes blanks, and comments from # to the end of a line, off what `rest` begins with; `line` is that of its
/// beginning.
void skip_blanks_and_comments(std::string_view& rest, std::ptrdiff_t& line) {
  for (;;) {
    const std::size_t skipped = std::min(rest.find_first_not_of(kBlanks), rest.size());
    line += std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(skipped), '\n');
    rest.remove_prefix(skipped);
    if (!rest.starts_with('#')) return;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
  }
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

bool begins_a_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

/// The next word, without what may follow it at once.
std::string word_of(std::string_view text) { return std::string(text.substr(0, text.find_first_of(" \t\r\n\v\f#]"))); }

}  // namespace

OpenMpiWords::OpenMpiWords(const std::string& text, std::string origin, std::ptrdiff_t first_line, Doubts* doubts)
    : rest_(text),
      origin_(std::move(origin)),
      line_(first_line),
      is_last_line_whole_(text.ends_with('\n')),
      doubts_(doubts) {
  if (is_last_line_whole_) rest_.remove_suffix(1);  // behind it there is no line
}

std::string OpenMpiWords::word() {
  constexpr std::size_t kLongest = 32;
  begin_word();
  std::string word(rest_.substr(0, std::min(rest_.find_first_of(kBlanks), kLongest)));
  rest_.remove_prefix(word.size());
  is_within_word_ = true;
  return word;
}

bool OpenMpiWords::take(std::string_view expected) {
  begin_word();
  if (!rest_.starts_with(expected)) return false;
  rest_.remove_prefix(expected.size());
  is_within_word_ = true;
  return true;
}

bool OpenMpiWords::is_followed_by_digit() const {
  const std::size_t at = rest_.find_first_not_of(" \t");
  return at != std::string_view::npos && is_digit(rest_[at]);
}

bool OpenMpiWords::ends() {
  begin_word();
  return rest_.empty();
}

void OpenMpiWords::fail(const std::string& expected) const {
  throw InputError(origin_ + ":" + std::to_string(line_) + ": expected " + expected);
}

std::int64_t OpenMpiWords::next_number(const char* meaning, std::int64_t least, int base) {
  const std::string expected = fmt::format("{}, a whole number from {} on", meaning, least);
  pass_over(begin_word(), expected);
  const std::string word = word_of(rest_);
  char* end = nullptr;
  errno = 0;
  const std::int64_t value = std::strtoll(word.c_str(), &end, base);
  const auto length = static_cast<std::size_t>(end - word.c_str());
  const bool is_plain = length == word.size() && (base == 10 || length == 1 || word[0] != '0');
  if (length == 0 || errno == ERANGE || value < least || (!is_plain && !doubts_)) fail(expected);
  if (!is_plain)
    doubts_->push_back({line(), "number", fmt::format("{} is read as {}", word, value),
                        base == 10 ? "Open MPI ends a number at what is no digit"
                                   : "Open MPI takes a leading 0 for octal, 0x for hexadecimal, and ends a number at "
                                     "what is no digit",
                        "write a decimal number, with nothing else before the next blank"});
  rest_.remove_prefix(length);
  is_within_word_ = true;
  return value;
}

/// Whether what comes is not the rest of a word.
bool OpenMpiWords::begin_word() {
  const std::size_t left = rest_.size();
  skip_blanks_and_comments(rest_, line_);
  is_within_word_ = is_within_word_ && left == rest_.size();
  return !is_within_word_;
}

/// To the next number; words that are none are told of once.
void OpenMpiWords::pass_over(bool is_word, const std::string& expected) {
  while (!begins_a_number(rest_)) {
    if (rest_.empty() || !doubts_) fail(expected);
    if (is_word)
      doubts_->push_back({line(), "number", fmt::format("{} stands where a number is expected", word_of(rest_)),
                          "Open MPI passes over it to the next number, which may be another one than was meant",
                          "write " + expected});
    rest_.remove_prefix(1);
    is_within_word_ = true;
    is_word = begin_word();
  }
}

}  // namespace tutti
