#include "cli/whatif_output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "algos/what_runs.hpp"
#include "base/counted.hpp"
#include "base/csv_field.hpp"
#include "base/sizes.hpp"
#include "cli/whatif_surprises.hpp"

namespace tutti::cli {
namespace {

/// Of nothing to do, which takes no time before and after, 1.
double ratio(double after, double before) { return after == before ? 1 : after / before; }

/// "+2.3 %", or nothing where the old choice is as good.
std::string old_choice_text(const WhatIfCell::After& after) {
  if (std::isinf(after.old_seconds)) return "cannot run";
  return after.changes() ? fmt::format("+{:.1f} %", (ratio(after.old_seconds, after.best_seconds) - 1) * 100) : "";
}

std::string change_text(const Change& change) {
  std::string text = change.name + "\n";
  constexpr std::size_t kMostLines = 12;
  for (std::size_t i = 0; i < change.edits.size() && i < kMostLines; ++i) {
    const Edit& edit = change.edits[i];
    text += fmt::format("  {}: {} -> {}\n", edit.path, edit.before.empty() ? "default" : edit.before, edit.after);
  }
  if (change.edits.size() > kMostLines)
    text += fmt::format("  and {} (--json has them all)\n", counted(change.edits.size() - kMostLines, "more figure"));
  for (const std::string& note : change.notes) text += "  " + note + "\n";
  return text;
}

std::string before_text(const WhatIfCell& cell) { return with_what_runs(cell.before, cell.before_runs); }

std::string best_text(const WhatIfCell::After& after) { return with_what_runs(after.best, after.best_runs); }

/// Of a column of choices.
std::size_t width_of(std::span<const WhatIfCell> cells, const auto& choice) {
  std::size_t width = 30;
  for (const WhatIfCell& cell : cells) width = std::max(width, choice(cell).size());
  return width;
}

/// Of columns.
struct CaseWidths {
  std::size_t bytes = 8, before = 30;
};

std::string cell_bytes_text(const WhatIfCell& cell) {
  return with_simulated(format_size(cell.bytes), format_size(cell.bytes_simulated));
}

CaseWidths widths_of(std::span<const WhatIfCell> cells) {
  CaseWidths widths;
  for (const WhatIfCell& cell : cells) widths.bytes = std::max(widths.bytes, cell_bytes_text(cell).size());
  widths.before = width_of(cells, before_text);
  return widths;
}

std::string case_text(const WhatIfCell& cell, const CaseWidths& widths) {
  return fmt::format("{:<20} {:>6} {:>6} {:>4} {:>{}}  {:<{}} {:>12.3f}", cell.collective, cell.ranks, cell.nodes,
                     cell.ppn, cell_bytes_text(cell), widths.bytes, before_text(cell), widths.before,
                     cell.before_seconds * 1e6);
}

std::string case_heads(const CaseWidths& widths) {
  return fmt::format("{:<20} {:>6} {:>6} {:>4} {:>{}}  {:<{}} {:>12}", "collective", "ranks", "nodes", "ppn", "bytes",
                     widths.bytes, "before", widths.before, "us");
}

std::string without_end_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string cells_text(std::span<const Change> changes, std::span<const WhatIfCell> cells) {
  std::string text;
  const CaseWidths width = widths_of(cells);
  if (changes.size() == 1) {
    const std::size_t after_width =
        width_of(cells, [](const WhatIfCell& cell) { return best_text(cell.after.front()); });
    text += without_end_spaces(fmt::format("{}   {:<{}} {:>12} {:>7}  {}", case_heads(width), "after", after_width,
                                           "us", "ratio", "the old choice"));
    for (const WhatIfCell& cell : cells) {
      const WhatIfCell::After& after = cell.after.front();
      text += without_end_spaces(fmt::format("{}   {:<{}} {:>12.3f} {:>7.3f}  {}", case_text(cell, width),
                                             best_text(after), after_width, after.best_seconds * 1e6,
                                             ratio(after.best_seconds, cell.before_seconds), old_choice_text(after)));
    }
    return text;
  }
  std::vector<std::size_t> widths(changes.size(), 24);
  for (const WhatIfCell& cell : cells)
    for (std::size_t i = 0; i < changes.size(); ++i)
      if (cell.after[i].changes()) widths[i] = std::max(widths[i], best_text(cell.after[i]).size());
  std::string heads = case_heads(width);
  for (std::size_t i = 0; i < changes.size(); ++i)
    heads += fmt::format("  {:>6} {:<{}}", fmt::format("({})", i + 1), "", widths[i]);
  text += without_end_spaces(heads);
  for (const WhatIfCell& cell : cells) {
    std::string line = case_text(cell, width);
    for (std::size_t i = 0; i < changes.size(); ++i)
      line += fmt::format("  {:>6.3f} {:<{}}", ratio(cell.after[i].best_seconds, cell.before_seconds),
                          cell.after[i].changes() ? best_text(cell.after[i]) : "", widths[i]);
    text += without_end_spaces(line);
  }
  return text + "(columns: the time over that of before, and the best choice where it is another one)\n";
}

WhatIfSummary summary_of(std::span<const WhatIfCell> cells, std::size_t change, const std::string& name,
                         const auto& is_of_it) {
  const bool all_are_nothing = std::all_of(cells.begin(), cells.end(), [&](const WhatIfCell& cell) {
    return !is_of_it(cell) || cell.is_rounded_to_nothing();
  });
  WhatIfSummary one{name};
  one.ratio = one.ratio_with_old = 0;
  for (const WhatIfCell& cell : cells) {
    if (!is_of_it(cell)) continue;
    if (cell.is_rounded_to_nothing() && !all_are_nothing) {
      ++one.rounded_to_nothing;
      continue;
    }
    const WhatIfCell::After& after = cell.after[change];
    ++one.cells;
    one.changed_choices += after.changes();
    one.ratio += std::log(ratio(after.best_seconds, cell.before_seconds));
    one.ratio_with_old += std::log(ratio(after.old_seconds, cell.before_seconds));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(one.cells, 1));
  one.ratio = std::exp(one.ratio / count);
  one.ratio_with_old = std::exp(one.ratio_with_old / count);
  return one;
}

}  // namespace

std::vector<WhatIfSummary> summaries(std::span<const WhatIfCell> cells, std::size_t change) {
  std::vector<std::string> names;
  for (const WhatIfCell& cell : cells)
    if (std::find(names.begin(), names.end(), cell.collective) == names.end()) names.push_back(cell.collective);
  std::vector<WhatIfSummary> all;
  all.reserve(names.size() + 1);
  for (const std::string& name : names)
    all.push_back(summary_of(cells, change, name, [&](const WhatIfCell& cell) { return cell.collective == name; }));
  all.push_back(summary_of(cells, change, "", [](const WhatIfCell&) { return true; }));
  return all;
}

std::string csv_of(const WhatIfHead& head, std::span<const Change> changes, std::span<const WhatIfCell> cells) {
  std::string text =
      "system,change,collective,ranks,nodes,ppn,bytes,bytes_simulated,before_algorithm,before_us,after_algorithm,"
      "after_us,old_algorithm_us,ratio,old_over_best,engine,mode,before_chosen,after_chosen\n";
  for (const WhatIfCell& cell : cells)
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const WhatIfCell::After& after = cell.after[i];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{:.6f},{},{:.6f},{:.6f},{:.6f},{:.6f},{},{},{},{}\n", head.system,
                          csv_field(changes[i].name), cell.collective, cell.ranks, cell.nodes, cell.ppn, cell.bytes,
                          cell.bytes_simulated, csv_field(cell.before), cell.before_seconds * 1e6,
                          csv_field(after.best), after.best_seconds * 1e6, after.old_seconds * 1e6,
                          ratio(after.best_seconds, cell.before_seconds), ratio(after.old_seconds, after.best_seconds),
                          head.engine, head.mode, csv_field(cell.before_runs), csv_field(after.best_runs));
    }
  return text;
}

nlohmann::ordered_json json_of(const WhatIfHead& head, std::span<const Change> changes,
                               std::span<const WhatIfCell> cells) {
  using Json = nlohmann::ordered_json;
  Json all{{"system", head.system},       {"engine", head.engine},    {"mode", head.mode},
           {"placement", head.placement}, {"changes", Json::array()}, {"cells", Json::array()},
           {"summary", Json::array()}};
  for (const Change& change : changes) {
    Json edits = Json::array();
    for (const Edit& edit : change.edits)
      edits.push_back({{"path", edit.path}, {"before", edit.before}, {"after", edit.after}});
    all["changes"].push_back({{"change", change.name},
                              {"placement", change.placement},
                              {"nodes_out_of_order", change.out_of_order},
                              {"edits", edits},
                              {"notes", change.notes},
                              {"warnings", change.warnings}});
  }
  for (const WhatIfCell& cell : cells) {
    Json afters = Json::array();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const WhatIfCell::After& after = cell.after[i];
      afters.push_back({{"change", changes[i].name},
                        {"algorithm", after.best},
                        {"chosen", after.best_runs},
                        {"time_us", after.best_seconds * 1e6},
                        {"old_algorithm_us", after.old_seconds * 1e6},
                        {"ratio", ratio(after.best_seconds, cell.before_seconds)},
                        {"old_over_best", ratio(after.old_seconds, after.best_seconds)},
                        {"changes", after.changes()}});
    }
    all["cells"].push_back({{"collective", cell.collective},
                            {"ranks", cell.ranks},
                            {"nodes", cell.nodes},
                            {"ppn", cell.ppn},
                            {"bytes", cell.bytes},
                            {"bytes_simulated", cell.bytes_simulated},
                            {"algorithm", cell.before},
                            {"chosen", cell.before_runs},
                            {"time_us", cell.before_seconds * 1e6},
                            {"after", afters}});
  }
  for (std::size_t i = 0; i < changes.size(); ++i)
    for (const WhatIfSummary& one : summaries(cells, i))
      all["summary"].push_back({{"change", changes[i].name},
                                {"collective", one.collective.empty() ? "all" : one.collective},
                                {"cells", one.cells},
                                {"rounded_to_nothing", one.rounded_to_nothing},
                                {"changed_choices", one.changed_choices},
                                {"ratio", one.ratio},
                                {"ratio_with_old_choices", one.ratio_with_old}});
  return all;
}

std::string table_of(const WhatIfHead& head, std::span<const Change> changes, std::span<const WhatIfCell> cells) {
  std::string text =
      fmt::format("{}: {}, {}, {}, {}\n", head.system, head.where, head.placement, head.engine, head.mode);
  for (std::size_t i = 0; i < changes.size(); ++i)
    text += (changes.size() > 1 ? fmt::format("({}) ", i + 1) : "what if: ") + change_text(changes[i]);
  text += "\n" + cells_text(changes, cells);
  const auto is_rounded = [](const WhatIfCell& cell) { return cell.bytes != cell.bytes_simulated; };
  if (std::any_of(cells.begin(), cells.end(), is_rounded)) text += kSimulatedNote;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += fmt::format("\n{}{:<20} {:>6} {:>16} {:>21} {:>21}\n",
                        changes.size() > 1 ? fmt::format("({}) {}\n", i + 1, changes[i].name) : "", "collective",
                        "cells", "choices change", "time after/before", "with old choices");
    std::vector<WhatIfSummary> rows = summaries(cells, i);
    const std::size_t rounded = rows.back().rounded_to_nothing;
    if (rows.size() == 2) rows.pop_back();  // all are those of the one collective
    for (const WhatIfSummary& one : rows)
      text += fmt::format("{:<20} {:>6} {:>16} {:>21.4f} {:>21.4f}\n", one.collective.empty() ? "all" : one.collective,
                          one.cells, one.changed_choices, one.ratio, one.ratio_with_old);
    if (rounded > 0) text += fmt::format("in no mean: {} of 0 simulated bytes\n", counted(rounded, "cell"));
    if (changes[i].placement == head.placement) text += surprises_text(changes[i], i, cells);
  }
  return text;
}

}  // namespace tutti::cli
