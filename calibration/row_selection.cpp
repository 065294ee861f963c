#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "calibration/collective_rows.hpp"

namespace tutti {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

RowSelection::RowSelection(const std::string& text) {
  for (const std::string& clause : split(text, ',')) clauses_.push_back(parse(clause));
}

RowSelection::Range RowSelection::parse_range(const std::string& text, const std::string& whole) {
  const std::vector<std::string> ends = split(text, '-');
  if (ends.size() > 2) throw InputError(fmt::format("'{}': expected A or A-B, got '{}'", whole, text));
  const Range range{parse_size(ends.front()), parse_size(ends.back())};
  if (range.least > range.most) throw InputError(fmt::format("'{}': the range '{}' is empty", whole, text));
  return range;
}

RowSelection::Clause RowSelection::parse(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2)
    throw InputError(fmt::format(
        "'{}': expected COLLECTIVE:ALGORITHM[+ALGORITHM…][:ranks=A-B][:ppn=A-B][:bytes=A-B][:implementation=NAME]",
        text));
  Clause clause{text, collective_named(parts[0]), split(parts[1], '+'), {}, {}, {}, {}};
  for (const std::string& name : clause.algorithms) find_algorithm(clause.collective, name);  // refuses unknown ones
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string key = parts[i].substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : parts[i].substr(equals + 1);
    if (key == "implementation" && !value.empty())
      clause.implementation = value;
    else if (key == "ranks" || key == "ppn" || key == "bytes")
      (key == "ranks" ? clause.ranks : key == "ppn" ? clause.ppn : clause.bytes) = parse_range(value, text);
    else
      throw InputError(fmt::format("'{}': expected ranks=, ppn=, bytes= or implementation=, got '{}'", text, parts[i]));
  }
  return clause;
}

bool RowSelection::Clause::holds(const CollectiveRow& row) const {
  const auto within = [](const Range& range, std::int64_t value) {
    return value >= range.least && value <= range.most;
  };
  return collective == row.collective && within(ranks, row.ranks) && within(ppn, row.ppn) && within(bytes, row.bytes) &&
         (implementation.empty() || implementation == row.implementation) &&
         std::find(algorithms.begin(), algorithms.end(), selected_name(row)) != algorithms.end();
}

bool RowSelection::holds(const CollectiveRow& row) const {
  return std::any_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) { return clause.holds(row); });
}

std::string RowSelection::part_without(std::span<const CollectiveRow> rows) const {
  for (const Clause& clause : clauses_)
    if (std::none_of(rows.begin(), rows.end(), [&](const CollectiveRow& row) { return clause.holds(row); }))
      return clause.text;
  return {};
}

}  // namespace tutti
