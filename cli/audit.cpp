#include "selection/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/python.hpp"
#include "cli/tuning_file.hpp"
#include "cli/verbs.hpp"
#include "selection/own_choices.hpp"
#include "selection/sweep_plan.hpp"
#include "selection/sweep_state.hpp"
#include "selection/undecided.hpp"

namespace tutti::cli {
namespace {

constexpr std::size_t kMostShown = 10;

struct AuditOptions {
  std::string file, table, target, machine, state, plot, over = "best";
  double cliff = 1.4;
  bool json = false;
};

std::string where(const AuditedCell& cell) {
  const Place& place = cell.cell->place;
  return fmt::format("{} {} x {}, {}", name_of(place.collective), place.nodes, place.ppn,
                     format_size(cell.cell->bytes));
}

std::string said_by_default(const AuditedCell& cell) { return cell.says == kOwnChoice ? "its own choice" : cell.says; }

nlohmann::ordered_json cell_json(const AuditedCell& cell) {
  const Place& place = cell.cell->place;
  nlohmann::ordered_json json{{"collective", name_of(place.collective)},
                              {"nodes", place.nodes},
                              {"ppn", place.ppn},
                              {"bytes", cell.cell->bytes}};
  json["says"] = cell.says == kOwnChoice ? nlohmann::ordered_json() : nlohmann::ordered_json(cell.says);
  json["time_us"] = cell.is_known() ? nlohmann::ordered_json(1e6 * cell.seconds) : nlohmann::ordered_json();
  json["best_us"] = 1e6 * cell.best_seconds;
  json["undecided"] = !cell.cell->undecided.empty();
  json["cannot_run"] =
      cell.cannot_run.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json("it " + cell.cannot_run);
  json["rough"] = cell.is_rough;
  json["own_us"] = cell.own_seconds ? nlohmann::ordered_json(1e6 * *cell.own_seconds) : nlohmann::ordered_json();
  return json;
}

/// Of one collective's cells: how many were compared with the library's own choice, and why others were not.
std::string comparison_text(const std::vector<const AuditedCell*>& cells, double bound, bool may_simulate) {
  std::size_t compared = 0, lose = 0, left = 0, rough = 0, no_choice = 0, no_own_time = 0, no_time = 0, neither = 0,
              impossible = 0;
  for (const AuditedCell* cell : cells) {
    lose += cell->loses(bound);
    if (cell->is_compared())
      ++compared;
    else if (cell->says == kOwnChoice)
      ++left;
    else if (!cell->cannot_run.empty())
      ++impossible;
    else if (cell->own.empty() && !cell->own_seconds)
      ++no_choice;
    else if (!cell->own_seconds)
      ++(cell->is_known() ? no_own_time : neither);
    else
      ++(cell->is_known() ? rough : no_time);
  }
  const std::string simulates = may_simulate ? " (--machine simulates it)" : "";
  std::string text = fmt::format("{} compared with the library's own choice, of which {} {}", counted(compared, "cell"),
                                 lose, lose == 1 ? "loses" : "lose");
  if (left > 0) text += fmt::format("; {} left to it", left);
  std::string why;
  const auto add = [&](std::size_t number, const std::string& reason) {
    if (number > 0) why += fmt::format("{}{} where {}", why.empty() ? "" : ", ", number, reason);
  };
  add(no_choice, "what it picks by itself is not known");
  add(no_own_time, "the time of what it picks by itself is not known" + simulates);
  add(no_time, "the rule's time is not known" + simulates);
  add(neither, "neither time is known" + simulates);
  add(impossible, "the rule cannot run");
  add(rough, "the rule's time is rough");
  return text + (why.empty() ? "" : "; not compared: " + why);
}

void print_collective(const std::vector<const AuditedCell*>& cells, double bound, bool may_simulate) {
  double logarithms = 0;
  std::size_t priced = 0, timeless = 0;
  for (const AuditedCell* cell : cells) {
    if (!cell->is_known() || cell->is_rough) continue;
    const std::optional<double> ratio = cell->times_as_long();
    ++(ratio ? priced : timeless);
    if (ratio) logarithms += std::log(*ratio);
  }
  const auto collective = name_of(cells.front()->cell->place.collective);
  if (priced == 0)
    fmt::print("{}: how many times as long as the best is known of no cell", collective);
  else
    fmt::print("{}: {:.4g} times as long as the best (geometric mean of {})", collective,
               std::exp(logarithms / static_cast<double>(priced)), counted(priced, "cell"));
  fmt::print("; {}", comparison_text(cells, bound, may_simulate));
  if (timeless > 0) fmt::print(", in {} the best takes no time", timeless);
  fmt::print("\n");
}

void print_collectives(const std::vector<AuditedCell>& cells, double bound, bool may_simulate) {
  std::map<Collective, std::vector<const AuditedCell*>> collectives;
  for (const AuditedCell& cell : cells) collectives[cell.cell->place.collective].push_back(&cell);
  for (const auto& [collective, of_it] : collectives) print_collective(of_it, bound, may_simulate);
  const auto rough = std::count_if(cells.begin(), cells.end(), [](const auto& cell) { return cell.is_rough; });
  if (rough > 0)
    fmt::print(
        "{}: what runs inside is priced without its segments and with a fan-out of 1: in no mean, no cliff and no "
        "loss\n",
        counted(rough, "cell"));
  const auto undecided =
      std::count_if(cells.begin(), cells.end(), [](const auto& cell) { return !cell.cell->undecided.empty(); });
  if (undecided > 0) fmt::print("{}\n", undecided_text(static_cast<std::size_t>(undecided)));
}

void print_audit(const Table& table, const std::vector<AuditedCell>& cells, const std::vector<Cliff>& steep,
                 bool may_simulate) {
  const double bound = table.bound;
  print_collectives(cells, bound, may_simulate);
  if (!table.library.empty())
    fmt::print("the best are those of what {} can be told, among which alone the table was tuned\n", table.library);
  std::size_t impossible = 0;
  for (const AuditedCell& cell : cells)
    if (!cell.cannot_run.empty() && ++impossible <= kMostShown)
      fmt::print("{}: {} cannot run there: it {}\n", where(cell), cell.says, cell.cannot_run);
  if (impossible > kMostShown)
    fmt::print("and {} whose rule cannot run\n", counted(impossible - kMostShown, "more cell"));
  std::vector<const AuditedCell*> worst;
  for (const AuditedCell& cell : cells)
    if (cell.is_known() && cell.seconds > cell.best_seconds * (1 + bound)) worst.push_back(&cell);
  std::stable_sort(worst.begin(), worst.end(), [](const AuditedCell* a, const AuditedCell* b) {
    return a->seconds / a->best_seconds > b->seconds / b->best_seconds;
  });
  for (std::size_t i = 0; i < std::min(kMostShown, worst.size()); ++i) {
    fmt::print("{}: {} takes {}{:.4g} us, the best ", where(*worst[i]), said_by_default(*worst[i]),
               worst[i]->is_rough ? "roughly " : "", 1e6 * worst[i]->seconds);
    if (const std::optional<double> ratio = worst[i]->times_as_long())
      fmt::print("{:.4g}: {:.4g} times as long\n", 1e6 * worst[i]->best_seconds, *ratio);
    else
      fmt::print("no time at all\n");
  }
  if (worst.size() > kMostShown) fmt::print("and {}\n", counted(worst.size() - kMostShown, "more cell"));
  for (std::size_t i = 0; i < std::min(kMostShown, steep.size()); ++i)
    fmt::print("cliff of {:.4g}: {} ({}) and {} ({})\n", steep[i].steepness, where(*steep[i].here),
               said_by_default(*steep[i].here), where(*steep[i].there), said_by_default(*steep[i].there));
  if (steep.size() > kMostShown) fmt::print("and {}\n", counted(steep.size() - kMostShown, "more cliff"));
}

nlohmann::ordered_json audit_json(const Table& table, const Exporter& exporter, const Baseline* library,
                                  const std::vector<AuditedCell>& cells, const std::vector<Cliff>& steep,
                                  double least) {
  nlohmann::ordered_json json{{"machine", table.machine}, {"library", exporter.library()}, {"cliff_from", least}};
  json["own_choices_of"] = library ? nlohmann::ordered_json(library->name) : nlohmann::ordered_json();
  json["best_among"] = table.library.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(table.library);
  json["cells"] = json["cliffs"] = nlohmann::ordered_json::array();
  for (const AuditedCell& cell : cells) json["cells"].push_back(cell_json(cell));
  for (const Cliff& cliff : steep)
    json["cliffs"].push_back(
        {{"steepness", cliff.steepness}, {"here", cell_json(*cliff.here)}, {"there", cell_json(*cliff.there)}});
  return json;
}

/// What the table does not know, on the machine that it is of.
void simulate_the_rest(const AuditOptions& options, const Table& table, std::vector<AuditedCell>& cells) {
  const std::string& name = options.machine;
  const ReadMachine read = load_machine_and_warn(name);
  if (read.machine.name != table.machine)
    throw InputError("--machine " + name + ": expected the table's machine, " + table.machine + ", not " +
                     read.machine.name);
  const Mode mode = parse_mode(table.mode);
  const Loads loads = parse_loads(table.loads, table.loads.empty() ? "worst" : table.robust,
                                  table.loads.empty() ? "median" : table.statistic);
  std::optional<SweepState> state;
  if (!options.state.empty()) state.emplace(options.state, identity_of(read, mode, table.placement, loads));
  Simulations simulations(read.machine, mode, table.placement, state ? &*state : nullptr, loads);
  if (state && state->damaged() > 0)
    fmt::print(stderr, "{}/sweep.sqlite: {} damaged results were made anew\n", options.state, state->damaged());
  std::size_t simulated = 0;
  {
    Progress progress("simulating", "cells");
    simulated = simulate_unknown(cells, table, simulations, [&](std::size_t done, std::size_t total, const auto& part) {
      progress.update(done, total, part);
    });
  }
  fmt::print(stderr, "{} times that the table does not have were simulated{}\n", simulated,
             simulations.goes_on() ? ", now or before" : "");
}

void check(const AuditOptions& options) {
  if (!(options.cliff > 1)) throw InputError("--cliff: expected more than 1");
  if (!options.state.empty() && options.machine.empty())
    throw InputError("--state: expected --machine beside it: only what is simulated is kept");
  if (options.plot.empty()) return;
  if (!options.plot.ends_with(".png") && !options.plot.ends_with(".svg"))
    throw InputError("--plot " + options.plot + ": expected a name that ends in .png or .svg");
  expect_apart({options.plot}, {options.file, options.table, options.machine});
  expect_writable(options.plot);
}

/// For people: how the exporter's library is called of which the own choices are known; empty: it has no such name.
std::string known_as_text(const Exporter& exporter) {
  const std::string names = fmt::format("{}", fmt::join(known_versions_of(exporter), " or "));
  return names.empty() ? "" : fmt::format(", which is known with --for {}", names);
}

int run_audit(const AuditOptions& options) {
  check(options);
  const Exporter& exporter = exporter_named(options.target);
  Table table = read_table(options.table);
  expect_served(table, options.table, exporter);
  for (const Collective collective : take_out_unserved(table, exporter))
    fmt::print(stderr, "{}: {} has no choice to make for it, so that it is left out\n", name_of(collective),
               exporter.name());
  if (table.cells.empty()) throw InputError(options.table + ": expected a table with cells");
  const auto file = read_tuning_file(exporter, options.file);
  const Baseline* library =
      exporter_of_version(options.target) ? &find_baseline(options.target) : own_choices_of(exporter, table);
  std::vector<AuditedCell> cells = audit(table, *file, library);
  if (!options.machine.empty()) simulate_the_rest(options, table, cells);
  if (!options.json &&
      std::none_of(cells.begin(), cells.end(), [](const AuditedCell& cell) { return cell.is_known(); }))
    throw InputError(fmt::format(
        "{}: has no time of anything that {} says: expected {}", options.table, options.file,
        options.machine.empty() ? "--machine beside it, on which that is simulated" : "something that can run there"));
  const std::vector<Cliff> steep = cliffs(cells, options.cliff);
  if (options.json)
    fmt::print("{}\n", audit_json(table, exporter, library, cells, steep, options.cliff).dump(1));
  else
    print_audit(table, cells, steep, options.machine.empty());
  if (!options.plot.empty()) {
    std::fflush(stdout);
    const int failed = run_script("plots/audit.py", {"-", "-o", options.plot, "--over", options.over},
                                  audit_json(table, exporter, library, cells, steep, options.cliff).dump());
    if (failed != kDone) return failed;
  }
  const auto is_compared = [](const AuditedCell& cell) { return cell.is_compared(); };
  const auto says_nothing = [](const AuditedCell& cell) { return cell.says == kOwnChoice; };
  if (!std::all_of(cells.begin(), cells.end(), says_nothing) && std::none_of(cells.begin(), cells.end(), is_compared))
    fmt::print(stderr, "warning: {}: no cell was compared with the library's own choice{}\n", options.file,
               library ? "" : known_as_text(exporter));
  const bool loses = std::any_of(cells.begin(), cells.end(), [&](const AuditedCell& cell) {
    return cell.loses(table.bound) || !cell.cannot_run.empty();
  });
  return loses ? kFinding : kDone;
}

}  // namespace

void add_audit(CLI::App& app, int& status) {
  auto options = std::make_shared<AuditOptions>();
  CLI::App* verb =
      app.add_subcommand("audit", "What a library's tuning file costs in the cells of a table, and where it jumps");
  verb->footer(
      "Exit status 1 where it loses to the library's own choice by more than the table's bound, or names what cannot "
      "run; where nothing could be compared with that choice, a warning says so.\n"
      "Example: tutti audit rules.txt table.json --for open-mpi-classic\n"
      "Example: tutti audit rules.txt table.json --for open-mpi-4.1 --machine example-cluster --plot costs.png");
  verb->add_option("file", options->file, "the tuning file, whoever wrote it")->required();
  verb->add_option("table", options->table, "a table that tutti tune wrote, with --baselines")->required();
  verb->add_option("--for", options->target, "the library (open-mpi-4.1) or the form of its file (tutti export --help)")
      ->required();
  verb->add_option("--cliff", options->cliff, "a loss that changes so many times between neighbours is a cliff")
      ->capture_default_str();
  verb->add_option("--machine", options->machine,
                   "the table's machine: what the table has no time of is simulated on it (default: stays unknown)");
  verb->add_option(
      "--state", options->state,
      "with --machine: a directory that keeps what is simulated, so that the same command goes on where it was "
      "interrupted; that of the table's tutti tune, too");
  verb->add_option("--plot", options->plot, "draw the costs and cliffs of all cells, as .png or .svg");
  verb->add_option("--over", options->over, "what --plot sets times beside: the best, or the library's own choice")
      ->check(CLI::IsMember({"best", "own"}))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "all cells and cliffs, as JSON");
  verb->callback([options, &status] {
    prefer_large_pages();
    status = run_audit(*options);
  });
}

}  // namespace tutti::cli
