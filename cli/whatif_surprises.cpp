#include "cli/whatif_surprises.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/counted.hpp"

namespace tutti::cli {
namespace {

/// "25000000000", "1 x 25 GB/s": as one number, to compare with another of the same figure.
double amount_of(const std::string& text) {
  char* end = nullptr;
  const double first = std::strtod(text.c_str(), &end);
  const std::string rest = end;
  return rest.starts_with(" x ") ? first * amount_of(rest.substr(3)) : first;
}

bool is_bandwidth(const std::string& path) {
  return path.ends_with("bytes_per_second") || path == "node.nics" || path.ends_with(".bandwidth_times");
}

bool is_duration(const std::string& path) { return path.ends_with("seconds") || path.ends_with("seconds_per_byte"); }

/// 1: faster, -1: slower, 0: neither, or not known, as of what was left to its default.
int direction_of(const Edit& edit) {
  if (edit.before.empty()) return 0;
  const double before = amount_of(edit.before), after = amount_of(edit.after);
  if (before == after || !(is_bandwidth(edit.path) || is_duration(edit.path))) return 0;
  return (after > before) == is_bandwidth(edit.path) ? 1 : -1;
}

/// Of all edits, where they agree.
int direction_of(const Change& change) {
  if (change.edits.empty() || !change.failed.empty()) return 0;
  const int first = direction_of(change.edits.front());
  const bool all_agree = std::all_of(change.edits.begin(), change.edits.end(),
                                     [&](const Edit& edit) { return direction_of(edit) == first; });
  return all_agree ? first : 0;
}

}  // namespace

std::string surprises_text(const Change& change, std::size_t index, std::span<const WhatIfCell> cells) {
  const int direction = direction_of(change);
  if (direction == 0) return "";
  constexpr double kNoticeable = 1.01;
  std::size_t number = 0;
  double most = 1;
  for (const WhatIfCell& cell : cells) {
    const double after = cell.after[index].best_seconds, before = cell.before_seconds;
    const double against = direction > 0 ? after / before : before / after;
    number += against > kNoticeable;
    most = std::max(most, against);
  }
  if (number == 0) return "";
  return fmt::format(
      "{} {} {} (by up to {:.1f} %) although every changed figure is {}: messages meet at other times, or a processor "
      "does\n"
      "something else first; such differences tell of this schedule alone (docs/what-if.md, What it does not say)\n",
      counted(number, "cell"), number == 1 ? "takes" : "take", direction > 0 ? "longer" : "shorter", (most - 1) * 100,
      direction > 0 ? "better" : "worse");
}

}  // namespace tutti::cli
