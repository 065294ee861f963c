#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibration/input_text.hpp"

namespace tutti {

struct TableRow {
  int line;
  std::vector<std::string_view> cells;
};

/// A table of words in benchmark output: rows under a header, first column a size.
struct TextTable {
  int header_line;
  std::vector<TableRow> rows;
};

/// A line of output without what launchers put before it: "[1,0]<stdout>:", "[0] ", "3: ". Empty for lines they mark as
/// standard error.
std::string_view strip_rank_prefix(std::string_view line);

/// What such a line says behind a '#' at its beginning, without blanks around; empty where it does not begin so.
std::string_view comment_of(std::string_view line);

/// Reads the rows under the header at `header_line` up to the line before `end_line`. Lines that are clearly not rows
/// (module loaders, warnings, time(1), comments) are passed over. Throws InputError for a header without rows, a row
/// with fewer cells than `columns`, and a line shaped like a row whose size is not a number.
TextTable read_table(const InputText& text, int header_line, int end_line, int columns);

}  // namespace tutti
