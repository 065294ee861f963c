#include "calibration/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tutti {
namespace {

bool is_time_output(std::string_view word) { return word == "real" || word == "user" || word == "sys"; }

// "12:30:01" and "2026-01-31" begin lines of schedulers, never rows.
bool is_clock(std::string_view word) {
  return word.find(':') != std::string_view::npos || std::count(word.begin(), word.end(), '-') >= 2;
}

bool begins_like_a_number(std::string_view word) {
  return looks_numeric(word) || std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

/// "[1]" or "[1,0]".
bool take_bracketed_rank(std::string_view& text) {
  std::string_view rest = text;
  if (!take(rest, "[") || !take_digits(rest) || (take(rest, ",") && !take_digits(rest)) || !take(rest, "]"))
    return false;
  text = rest;
  return true;
}

bool is_row(const std::vector<std::string_view>& cells, int columns) {
  if (cells.empty() || is_time_output(cells[0]) || is_clock(cells[0])) return false;
  if (begins_like_a_number(cells[0])) return true;
  return static_cast<int>(cells.size()) == columns &&
         std::all_of(cells.begin() + 1, cells.end(), [](std::string_view cell) { return looks_numeric(cell); });
}

}  // namespace

std::string_view strip_rank_prefix(std::string_view line) {
  std::string_view rest = line;
  if (take_bracketed_rank(rest)) {
    if (take(rest, "<stderr>") || take(rest, "<stddiag>")) return {};
    take(rest, "<stdout>");
    take(rest, ":");
  } else if (!take_digits(rest) || !take(rest, ":") || rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) {
    return line;
  }
  take(rest, " ");
  return rest;
}

std::string_view comment_of(std::string_view line) {
  line = strip_rank_prefix(line);
  return line.starts_with('#') ? trim(line.substr(1)) : std::string_view();
}

TextTable read_table(const InputText& text, int header_line, int end_line, int columns) {
  TextTable table{header_line, {}};
  for (int number = header_line + 1; number < end_line; ++number) {
    const std::string_view line = trim(strip_rank_prefix(text.line(number)));
    if (line.empty() || line.front() == '#') continue;
    auto cells = split_words(line);
    if (!is_row(cells, columns)) continue;
    if (static_cast<int>(cells.size()) < columns)
      throw text.error(
          number, fmt::format("{} cells, expected {} as in the header on line {}", cells.size(), columns, header_line));
    table.rows.push_back({number, std::move(cells)});
  }
  if (table.rows.empty()) throw text.error(header_line, "a header without rows, expected sizes and times below it");
  return table;
}

}  // namespace tutti
