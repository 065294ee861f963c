#include "cli/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/counted.hpp"
#include "cli/output.hpp"
#include "models/contention.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/loads.hpp"
#include "selection/offers.hpp"
#include "selection/own_choices.hpp"
#include "selection/pricing.hpp"
#include "sim/arrivals.hpp"
#include "sim/background_placement.hpp"
#include "sim/call_trust.hpp"

namespace tutti::cli {
namespace {

/// Over all cells, for each library: what the table's rules gain, and what of that its own tuning file can say.
void add_gains(TableSummary& summary, const Table& table, std::size_t libraries) {
  summary.unknown_defaults = libraries * table.cells.size();
  for (const Cell& cell : table.cells) summary.unknown_defaults -= cell.default_seconds.size();
  for (const auto& [library, gain] : gains_of_rules(table)) {
    TableGain one{library, gain.times_as_fast, gain.cells, "", 1, 0};
    const Exporter* exporter = exporter_for(library);
    if (!exporter) exporter = exporter_of_version(library);
    const Baseline* priced_beside = exporter ? own_choices_of(*exporter, table) : nullptr;
    if (priced_beside && priced_beside->name == library) {
      const Price file = export_table(table, *exporter, {}).priced.all;
      one.form = exporter->name();
      one.file_times_as_fast = file.gains.file;
      one.file_cells = file.cells - file.timeless;
    }
    summary.gains.push_back(std::move(one));
  }
}

/// The least over the cells of the rule's range.
std::string trust_of(const Rule& rule, const Machine& machine, const Provenance& provenance, const Table& table) {
  const bool disturbed =
      table.mode.starts_with("skew:") ||
      std::any_of(table.loads.begin(), table.loads.end(), [](const auto& load) { return load != "none"; });
  Trust least = Trust::fitted_near;
  for (const Cell& cell : table.cells)
    if (cell.place == rule.place && cell.bytes >= rule.from_bytes && cell.bytes <= rule.to_bytes)
      least = std::min(least, trust_of_call(machine, provenance, case_for(cell.place, cell.bytes), rule.place.nodes,
                                            rule.place.ppn, cell.bytes, disturbed));
  return to_string(least);
}

/// What of other jobs is not in a table's times, as `simulate` says it.
void note_missing_trees(Table& table, const TuneRequest& request) {
  std::map<std::string, std::vector<std::string>> loads;
  std::size_t jobs = 0;
  for (const Load& load : request.loads.each) {
    if (!load.background) continue;
    ++jobs;
    const std::string why = no_congestion_trees(*request.machine, load.background->background);
    if (!why.empty()) loads[why].push_back(load.text());
  }
  for (const auto& [why, beside] : loads)
    table.notes.push_back(beside.size() == jobs ? why : fmt::format("beside {}: {}", fmt::join(beside, ", "), why));
}

/// Whether a table that is tuned for `library` (empty: for none) is so for what is known by that name.
bool is_tuned_for(const std::string& library, const std::string& known) {
  if (library.empty()) return false;
  const std::vector<std::string> names = known_versions_of(find_exporter_for(library));
  return known == library || std::find(names.begin(), names.end(), known) != names.end();
}

void print_summary(const TableSummary& summary, const std::string& library) {
  for (const TableGain& gain : summary.gains) {
    const std::string over = fmt::format("over the default of {}: ", gain.library);
    if (!is_tuned_for(library, gain.library))  // else the table has nothing that its file cannot say
      fmt::print(stderr, "{}{:.4g} times as fast, geometric mean of {}\n", over, gain.times_as_fast,
                 counted(gain.cells, "cell"));
    if (!gain.form.empty())
      fmt::print(stderr, "{}{:.4g} times as fast by its tuning file (tutti export --to {}), geometric mean of {}\n",
                 over, gain.file_times_as_fast, gain.form, counted(gain.file_cells, "cell"));
  }
  if (summary.unknown_defaults > 0)
    fmt::print(stderr, "{} of cells could be neither simulated nor inferred, or are none of our algorithms\n",
               counted(summary.unknown_defaults, "default"));
  for (const std::string& note : summary.notes) fmt::print(stderr, "{}\n", note);
  std::string trust;
  for (const auto& [word, count] : summary.rules_by_trust)
    trust += fmt::format("{}{} {}", trust.empty() ? "" : ", ", count, word);
  fmt::print(stderr, "rules by what stands behind their predictions: {}\n", trust);
  if (summary.undecided > 0)
    fmt::print(stderr,
               "{} of {} {} not decided: other candidates may be faster than what is chosen, which could not be "
               "simulated or inferred well enough (\"undecided\" in the table)\n",
               summary.undecided, counted(summary.cells, "cell"), summary.undecided == 1 ? "is" : "are");
  fmt::print(
      stderr,
      "{}: {}, {}; {} times simulated, {} inferred; {} dropped by bounds, {} refused by the engine; {} left out for "
      "want of memory\n",
      summary.file, counted(summary.cells, "cell"), counted(summary.rules, "rule"), summary.simulated, summary.inferred,
      counted(summary.dropped, "candidate"), summary.refused, counted(summary.left_out, "cell"));
}

}  // namespace

TableSummary finish_table(Table& table, const TuneRequest& request, const std::string& machine,
                          const std::string& output) {
  TableSummary summary;
  if (const std::string note = contention_note(fabric_levels(*request.machine->network)); !note.empty())
    table.notes.push_back(note);
  if (!table.loads.empty())
    table.notes.push_back("times are " +
                          (request.mode.calls > 1 ? statistic_text(table) + " of calls " : "of one call ") +
                          loads_text(table));
  else if (has_several_arrivals(request.mode))
    table.notes.push_back("times are medians of calls, each with arrivals of its own");
  note_missing_trees(table, request);
  const Provenance provenance = provenance_of(request.machine_text, machine);
  for (Rule& rule : table.rules) {
    rule.trust = trust_of(rule, *request.machine, provenance, table);
    ++summary.rules_by_trust[rule.trust];
  }
  write_output(output, to_json_text(table));  // before it is priced, for a sweep takes long
  if (!request.baselines.empty()) add_gains(summary, table, request.baselines.size());
  summary.file = output;
  summary.cells = table.cells.size();
  summary.rules = table.rules.size();
  std::size_t times = 0;
  for (const Cell& cell : table.cells) {
    times += cell.seconds.size();
    summary.inferred += cell.inferred.size();
    summary.undecided += !cell.undecided.empty();
  }
  summary.simulated = times - summary.inferred;
  summary.dropped = table.dropped;
  summary.refused = table.refused;
  summary.left_out = table.left_out;
  summary.notes = table.notes;
  print_summary(summary, table.library);
  return summary;
}

nlohmann::ordered_json summary_json(const TableSummary& summary) {
  nlohmann::ordered_json gains = nlohmann::ordered_json::array();
  for (const TableGain& gain : summary.gains) {
    nlohmann::ordered_json one{
        {"library", gain.library}, {"times_as_fast", gain.times_as_fast}, {"cells", gain.cells}, {"file", nullptr}};
    if (!gain.form.empty())
      one["file"] = {{"form", gain.form}, {"times_as_fast", gain.file_times_as_fast}, {"cells", gain.file_cells}};
    gains.push_back(std::move(one));
  }
  return {{"table", summary.file},
          {"cells", summary.cells},
          {"rules", summary.rules},
          {"simulated", summary.simulated},
          {"inferred", summary.inferred},
          {"dropped", summary.dropped},
          {"refused", summary.refused},
          {"left_out", summary.left_out},
          {"undecided", summary.undecided},
          {"unknown_defaults", summary.unknown_defaults},
          {"gains", gains},
          {"rules_by_trust", summary.rules_by_trust},
          {"notes", summary.notes}};
}

}  // namespace tutti::cli
