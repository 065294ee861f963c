#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "calibration/readers.hpp"
#include "calibration/series_builder.hpp"
#include "calibration/text_table.hpp"

namespace tutti {
namespace {

/// One program's output (OSU's, or tutti bench's): from its title line to the line before the next title.
struct OsuSection {
  std::string program, version;
  int first, end;
};

std::vector<OsuSection> find_osu_sections(const InputText& text) {
  std::vector<OsuSection> sections;
  for (int number = 1; number <= text.lines(); ++number) {
    const std::string_view title = comment_of(text.line(number));
    const std::size_t blank = title.find_last_of(" \t");
    if (blank == std::string_view::npos) continue;
    const std::string_view program = trim(title.substr(0, blank)), version = title.substr(blank + 1);
    if (!program.starts_with("OSU ") && !program.starts_with("Tutti ")) continue;
    if (!program.ends_with("Test") || version.size() < 2 || version.front() != 'v') continue;
    if (!sections.empty()) sections.back().end = number;
    sections.push_back({std::string(program), std::string(version.substr(1)), number, text.lines() + 1});
  }
  return sections;
}

/// OSU sets its columns apart by two blanks or more; names hold single ones ("Avg Latency(us)").
std::vector<std::string> header_columns(std::string_view header) {
  header = trim(header.substr(header.find('#') + 1));
  std::vector<std::string> columns;
  while (!header.empty()) {
    const auto end = std::min(header.find("  "), header.size());
    columns.emplace_back(trim(header.substr(0, end)));
    header = trim(header.substr(end));
  }
  return columns;
}

constexpr int most_pairs = 1 << 24;

struct Program {
  std::string_view title;
  Benchmark benchmark;
  std::string_view column;  ///< the first column whose lower-case name contains this holds the value
};

constexpr Program programs[] = {
    {"OSU MPI Latency Test", Benchmark::one_way, "latency"},
    {"Tutti Latency Test", Benchmark::one_way, "latency"},
    {"Tutti Bandwidth Test", Benchmark::stream_gap, "bandwidth"},
    {"OSU MPI Bandwidth Test", Benchmark::stream_gap, "bandwidth"},
    {"OSU MPI Multiple Bandwidth / Message Rate Test", Benchmark::stream_gap, "messages/s"},
};

const Program* find_program(const OsuSection& section) {
  for (const Program& program : programs)
    if (section.program == program.title) return &program;
  return nullptr;
}

int find_header(const InputText& text, const OsuSection& section) {
  for (int number = section.first + 1; number < section.end; ++number) {
    const std::string_view header = comment_of(text.line(number));
    const auto is_of_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (header.starts_with("Size") && (header.size() == 4 || !is_of_word(static_cast<unsigned char>(header[4]))))
      return number;
  }
  throw text.error(section.first, fmt::format("{} without a '# Size' header, expected its table", section.program));
}

/// osu_mbw_mr prints the rate of all its pairs together.
int find_pairs(const InputText& text, const OsuSection& section) {
  for (int number = section.first + 1; number < section.end; ++number) {
    const std::string_view line = text.line(number);
    const std::size_t label = line.find("pairs:");
    if (label == std::string_view::npos || !trim(line.substr(0, label)).ends_with('[')) continue;
    const std::string_view rest = trim(line.substr(label + 6));
    int count = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (code != std::errc() || count < 1 || count > most_pairs)
      throw text.error(number, fmt::format("expected 1 to {} pairs", most_pairs));
    return count;
  }
  throw text.error(section.first, "a message rate without '[ pairs: N ]', expected the number of pairs");
}

/// OSU's own programs print no others.
void expect_unit(const InputText& text, int line, const std::string& column, const Program& program) {
  const std::size_t open = column.find('(');
  if (open == std::string::npos) return;
  const std::string unit = lower(column.substr(open + 1, column.find(')', open) - open - 1));
  const std::string expected = program.column == "latency" ? "us" : program.column == "bandwidth" ? "mb/s" : unit;
  if (unit != expected)
    throw text.error(line,
                     fmt::format("'{}': expected {}", column, expected == "us" ? "microseconds, (us)" : "(MB/s)"));
}

Series read_osu_section(const InputText& text, const OsuSection& section, const Program& program) {
  const int header_line = find_header(text, section);
  const auto columns = header_columns(strip_rank_prefix(text.line(header_line)));
  std::size_t value_column = 0, validation_column = 0;
  for (std::size_t column = columns.size() - 1; column > 0; --column) {
    if (lower(columns[column]).find(program.column) != std::string::npos) value_column = column;
    if (columns[column] == "Validation") validation_column = column;
  }
  if (value_column == 0)
    throw text.error(header_line, fmt::format("no column named '{}', expected one beside 'Size'", program.column));

  expect_unit(text, header_line, columns[value_column], program);
  const int pairs = program.column == "messages/s" ? find_pairs(text, section) : 1;
  SeriesBuilder builder(text, program.benchmark, fmt::format("{} v{}", section.program, section.version));
  builder.series.pairs = pairs;
  for (const TableRow& row : read_table(text, header_line, section.end, static_cast<int>(columns.size())).rows) {
    if (validation_column != 0 && row.cells[validation_column] != "Pass")
      throw text.error(row.line, fmt::format("validation says '{}', expected Pass", row.cells[validation_column]));
    const std::int64_t bytes = parse_bytes(text, row.line, row.cells[0]);
    const double value = parse_positive(text, row.line, row.cells[value_column], columns[value_column]);
    double seconds = value * 1e-6;
    if (program.column == "bandwidth") seconds = static_cast<double>(bytes) / (value * 1e6);
    if (program.column == "messages/s") seconds = pairs / value;
    builder.add(bytes, seconds, row.line);
  }
  return std::move(builder.series);
}

}  // namespace

Measurements read_osu(const std::filesystem::path& file, const ReadOptions& options) {
  const InputText text = InputText::load(file);
  Measurements found;
  std::map<std::string, int> others;
  std::map<std::string_view, int> runs;
  for (const OsuSection& section : find_osu_sections(text)) {
    const Program* program = find_program(section);
    if (program == nullptr) {
      ++others[section.program];
      continue;
    }
    found.series.push_back(read_osu_section(text, section, *program));
    found.series.back().distance = options.distance.value_or(Distance::network);
    found.series.back().run = runs[program->title]++;
  }
  for (const auto& [name, count] : others)
    found.skipped.push_back(
        fmt::format("{}: {} tables of '{}': not a point-to-point benchmark of host memory", text.file(), count, name));
  if (found.series.empty())
    throw text.error(
        1, others.empty() ? "no OSU benchmark, expected a line such as '# OSU MPI Latency Test v5.8'"
                          : fmt::format("only '{}' and the like, expected a table of osu_latency, osu_bw or osu_mbw_mr",
                                        others.begin()->first));
  return found;
}

}  // namespace tutti
