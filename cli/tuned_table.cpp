#include "cli/tuned_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cli/output.hpp"
#include "models/contention.hpp"
#include "models/trust.hpp"
#include "selection/offers.hpp"
#include "selection/pricing.hpp"

namespace tutti::cli {
namespace {

/// Over all cells, for each library: what the table's rules gain, unless only that library was asked for, and what of
/// that its own tuning file can say.
void print_gains(const Table& table, std::size_t libraries) {
  std::size_t unknown = libraries * table.cells.size();
  for (const Cell& cell : table.cells) unknown -= cell.default_seconds.size();
  for (const auto& [library, gain] : gains_of_rules(table)) {
    const std::string over = fmt::format("over the default of {}: ", library);
    if (table.library != library)
      fmt::print(stderr, "{}{:.4g} times as fast, geometric mean of {} cells\n", over, gain.times_as_fast, gain.cells);
    if (const Exporter* exporter = exporter_for(library)) {
      const Price file = export_table(table, *exporter, {}).priced.all;
      fmt::print(stderr,
                 "{}{:.4g} times as fast by its tuning file (tutti export --to {}), geometric mean of {} cells\n", over,
                 file.gains.file, exporter->name(), file.cells);
    }
  }
  if (unknown > 0) fmt::print(stderr, "{} defaults of cells could be neither simulated nor inferred\n", unknown);
}

/// The least over the cells of the rule's range.
std::string trust_of(const Rule& rule, const Machine& machine, const Provenance& provenance, const Table& table) {
  Trust least = Trust::fitted_near;
  for (const Cell& cell : table.cells)
    if (cell.place == rule.place && cell.bytes >= rule.from_bytes && cell.bytes <= rule.to_bytes)
      least = std::min(least, trust_in(machine, provenance, std::string(name_of(rule.place.collective)),
                                       rule.place.nodes, rule.place.ppn, cell.bytes));
  return to_string(least);
}

void print_trust(const Table& table) {
  std::map<std::string, int> rules;
  for (const Rule& rule : table.rules) ++rules[rule.trust];
  std::string text;
  for (const auto& [trust, count] : rules) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, trust);
  fmt::print(stderr, "rules by what stands behind their predictions: {}\n", text);
}

}  // namespace

void finish_table(Table& table, const TuneRequest& request, const std::string& machine, const std::string& output) {
  if (!request.baselines.empty()) print_gains(table, request.baselines.size());
  if (const std::string note = contention_note(fabric_levels(*request.machine->network)); !note.empty())
    table.notes.push_back(note);
  const Provenance provenance = provenance_of(request.machine_text, machine);
  for (Rule& rule : table.rules) rule.trust = trust_of(rule, *request.machine, provenance, table);
  write_output(output, to_json_text(table));
  for (const std::string& note : table.notes) fmt::print(stderr, "{}\n", note);
  print_trust(table);
  std::size_t times = 0, inferred = 0, undecided = 0;
  for (const Cell& cell : table.cells) {
    times += cell.seconds.size();
    inferred += cell.inferred.size();
    undecided += !cell.undecided.empty();
  }
  if (undecided > 0)
    fmt::print(stderr,
               "{} of {} cells are not decided: other candidates may be faster than what is chosen, which could not be "
               "simulated or inferred well enough (\"undecided\" in the table)\n",
               undecided, table.cells.size());
  fmt::print(
      stderr,
      "{}: {} cells, {} rules; {} times simulated, {} inferred; {} candidates dropped by bounds, {} refused by the "
      "engine; {} cells left out for want of memory\n",
      output, table.cells.size(), table.rules.size(), times - inferred, inferred, table.dropped, table.refused,
      table.left_out);
}

}  // namespace tutti::cli
