#include <fmt/format.h>

#include <map>

#include "calibration/readers.hpp"
#include "calibration/series_builder.hpp"
#include "calibration/text_table.hpp"

namespace tutti {
namespace {

/// One benchmark's output: from "# Benchmarking NAME" to the line before the next one.
struct ImbSection {
  std::string benchmark;
  int first, end;
};

std::vector<ImbSection> find_imb_sections(const InputText& text) {
  std::vector<ImbSection> sections;
  for (int number = 1; number <= text.lines(); ++number) {
    const std::vector<std::string_view> words = split_words(comment_of(text.line(number)));
    if (words.size() != 2 || words[0] != "Benchmarking") continue;
    if (!sections.empty()) sections.back().end = number;
    sections.push_back({std::string(words[1]), number, text.lines() + 1});
  }
  return sections;
}

Series read_imb_section(const InputText& text, const ImbSection& section) {
  int header_line = 0;
  for (int number = section.first + 1; number < section.end && header_line == 0; ++number)
    if (trim(strip_rank_prefix(text.line(number))).starts_with("#bytes")) header_line = number;
  if (header_line == 0) throw text.error(section.first, "PingPong without a '#bytes' header, expected its table");

  const auto columns = split_words(strip_rank_prefix(text.line(header_line)));
  std::size_t time_column = 0;
  for (std::size_t column = columns.size() - 1; column > 0; --column)
    if (columns[column] == "t[usec]" || columns[column] == "t_avg[usec]") time_column = column;
  if (time_column == 0) throw text.error(header_line, "no column 't[usec]' or 't_avg[usec]', expected one");

  SeriesBuilder builder(text, Benchmark::one_way, "IMB PingPong");
  for (const TableRow& row : read_table(text, header_line, section.end, static_cast<int>(columns.size())).rows)
    builder.add(parse_bytes(text, row.line, row.cells[0]),
                parse_positive(text, row.line, row.cells[time_column], columns[time_column]) * 1e-6, row.line);
  return std::move(builder.series);
}

/// The ranks that wait while two play, as "( 30 additional processes waiting in MPI_Barrier)" says; else "".
std::string waiting_ranks(const InputText& text, const ImbSection& section) {
  for (int number = section.first + 1; number < section.end; ++number) {
    const std::vector<std::string_view> words = split_words(comment_of(text.line(number)));
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i] == "additional" && words[i + 1] == "processes") return std::string(words[i - 1]);
  }
  return "";
}

}  // namespace

Measurements read_imb(const std::filesystem::path& file, const ReadOptions& options) {
  const InputText text = InputText::load(file);
  Measurements found;
  std::map<std::string, int> others;
  std::string waiting;
  for (const ImbSection& section : find_imb_sections(text)) {
    if (section.benchmark != "PingPong") {
      ++others[section.benchmark];
      continue;
    }
    found.series.push_back(read_imb_section(text, section));
    found.series.back().run = static_cast<int>(found.series.size()) - 1;
    found.series.back().distance = options.distance.value_or(Distance::network);
    if (waiting.empty()) waiting = waiting_ranks(text, section);
  }
  // The first two ranks of a job are on one node, unless each has a node of its own or ranks go around the nodes.
  if (!options.distance && !waiting.empty())
    found.skipped.push_back(
        fmt::format("{}: ranks 0 and 1, beside {} that wait, are taken for ranks of two nodes; if "
                    "they were on one, give node= before the file's name, or what else they share",
                    text.file(), waiting));
  for (const auto& [name, count] : others)
    found.skipped.push_back(fmt::format("{}: {} tables of {}: not PingPong", text.file(), count, name));
  if (found.series.empty())
    throw text.error(1, others.empty() ? "no IMB benchmark, expected a line '# Benchmarking PingPong'"
                                       : fmt::format("only {} and the like, expected PingPong", others.begin()->first));
  return found;
}

}  // namespace tutti
