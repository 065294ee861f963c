#include "exporters/job_shell.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace tutti {
namespace {

// What sources these lines may have variables and options (set -eu) of its own, and goes on in any case.
constexpr std::string_view kJobBegin[] = {
    "tutti_nodes=${TUTTI_NODES:-${SLURM_JOB_NUM_NODES:-0}}", "tutti_ranks=${TUTTI_RANKS:-${SLURM_NTASKS:-0}}",
    "if [ \"$tutti_nodes\" -eq 0 ] || [ \"$tutti_ranks\" -eq 0 ]; then echo \"Tutti: neither Slurm's numbers of nodes "
    "and ranks nor TUTTI_NODES and TUTTI_RANKS are set: the library picks by itself\" >&2; fi"};
constexpr std::string_view kJobEnd = "unset tutti_nodes tutti_ranks";
constexpr std::string_view kTest =
    "if [ \"$tutti_ranks\" -eq $((tutti_nodes * {})) ] && [ \"$tutti_nodes\" -ge {} ] && [ \"$tutti_nodes\" -le {} ]; "
    "then";

/// The three numbers of the test.
ListedRule read_test(const TextLine& line, const std::string& origin) {
  std::vector<std::int64_t> numbers;
  for (std::string_view word : split_at(line.text, ' ')) {
    word = word.substr(0, word.find(')'));
    if (const auto number = whole_number(word); number && *number <= std::numeric_limits<int>::max())
      numbers.push_back(*number);
  }
  if (numbers.size() != 3 || fmt::format(fmt::runtime(kTest), numbers[0], numbers[1], numbers[2]) != line.text)
    refuse_line(origin, line, "a test of ranks and nodes");
  const auto number = [&](std::size_t i) { return static_cast<int>(numbers[i]); };
  ListedRule place;
  place.ppn = {number(0), number(0)}, place.nodes = {number(1), number(2)};
  return place;
}

}  // namespace

std::string write_job_shell(const std::string& first, const std::vector<std::string>& about,
                            std::span<const FileRules> rules,
                            const std::function<std::string(const FileRules&)>& exports) {
  std::string text = first +
                     "# to be sourced where a job starts; without Slurm set TUTTI_NODES and TUTTI_RANKS before.\n"
                     "# They hold for all communicators of the job, also those of fewer ranks.\n";
  for (const std::string& line : about) text += "# " + line + "\n";
  for (const std::string_view line : kJobBegin) text.append(line) += "\n";
  std::map<std::pair<SeenLayout, int>, std::string> lines;
  for (const FileRules& each : rules)
    if (const std::string set = exports(each); !set.empty()) lines[{each.layout, each.last_size}] += set;
  for (const auto& [place, body] : lines)
    text += fmt::format(fmt::runtime(kTest), place.first.kind, place.first.size, place.second) + "\n" + body + "fi\n";
  return text.append(kJobEnd) + "\n";
}

std::string job_shell_serves() {
  return "rules for a job also serve all its communicators of fewer ranks, for which they were not tuned";
}

void read_job_shell(const std::string& text, const std::string& origin,
                    const std::function<void(const TextLine& line, const ListedRule& place)>& read) {
  expect_lines_of_a_shell(text, origin);
  ListedRule place;
  bool is_inside = false;
  for (const TextLine& line : lines_of(text, origin)) {
    if (line.text == kJobEnd || std::find(std::begin(kJobBegin), std::end(kJobBegin), line.text) != std::end(kJobBegin))
      continue;
    if (line.text == "fi" ? !is_inside : line.text.starts_with("if ") == is_inside)
      refuse_line(origin, line, "if, export and fi in turn");
    if (line.text == "fi")
      is_inside = false;
    else if (!is_inside)
      place = read_test(line, origin), place.scope = line.number, is_inside = true;
    else
      read(line, place);
  }
  if (is_inside) refuse_line(origin, lines_of(text, origin).back(), "fi at the end");
}

void expect_lines_of_a_shell(std::string_view text, const std::string& origin) {
  const std::size_t found = text.find("\r\n");
  if (found == std::string_view::npos) return;
  const auto before = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n');
  refuse_line(origin, {static_cast<int>(before) + 1, ""},
              "a line without a carriage return at its end, which a shell takes for a part of the last word");
}

std::string variable_of(const std::string& begin, Collective collective) {
  std::string name = begin;
  for (const char c : name_of(collective)) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

}  // namespace tutti
