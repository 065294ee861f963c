#include "calibration/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

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

bool is_row(const std::vector<std::string_view>& cells, int columns) {
  if (cells.empty() || is_time_output(cells[0]) || is_clock(cells[0])) return false;
  if (begins_like_a_number(cells[0])) return true;
  return static_cast<int>(cells.size()) == columns &&
         std::all_of(cells.begin() + 1, cells.end(), [](std::string_view cell) { return looks_numeric(cell); });
}

}  // namespace

std::string_view strip_rank_prefix(std::string_view line) {
  static const std::regex prefix(R"(^(\[\d+(,\d+)?\](<std(out|err|diag)>)?:?|\d+:(?=\s)) ?)");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(line.begin(), line.end(), match, prefix)) return line;
  if (match[4].matched && match.str(4) != "out") return {};
  return line.substr(static_cast<std::size_t>(match.length(0)));
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
