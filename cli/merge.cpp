#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "cli/large_pages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sharded.hpp"
#include "cli/sweep_verbs.hpp"
#include "cli/tuned_table.hpp"
#include "cli/verbs.hpp"
#include "models/machine_files.hpp"
#include "selection/merged_times.hpp"
#include "selection/sweep_folder.hpp"
#include "selection/sweep_overview.hpp"

namespace tutti::cli {
namespace {

struct MergeOptions {
  std::string folder, output, machine;
  bool partial = false, json = false;
  int jobs = TuneOptions().jobs;
};

std::string part_state(const PartProgress& part) {
  if (!part.failure.empty()) return "failed: " + part.failure;
  if (!part.damage.empty()) return "damaged: " + part.damage;
  if (part.begun) return fmt::format("{} of {} places done, by {}", part.places_done, part.places, part.by);
  return "not begun";
}

nlohmann::ordered_json missing_json(const SweepOverview& overview) {
  nlohmann::ordered_json missing = nlohmann::ordered_json::array();
  for (const PartProgress& part : overview.parts)
    if (!part.done) missing.push_back({{"part", part.name}, {"state", part_state(part)}});
  return missing;
}

/// `table`: null where none is written.
void print_merged_json(const SweepOverview& overview, const nlohmann::ordered_json& table) {
  const nlohmann::ordered_json all{
      {"parts", overview.parts.size()}, {"missing", missing_json(overview)}, {"table", table}};
  fmt::print("{}\n", all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

int run_merge(const MergeOptions& options) {
  expect_thread_count(options.jobs, "--jobs");
  if (options.json && options.output == "-") throw InputError("--json: expected a file for -o, as stdout is taken");
  const auto sweep = load_sweep(options.folder, options.machine);
  std::vector<std::string> inputs = machine_files(sweep->machine_name);
  const std::vector<std::string> files = files_of_sweep(options.folder);
  inputs.insert(inputs.end(), files.begin(), files.end());
  expect_apart({options.output}, inputs);
  expect_writable(options.output);

  const SweepOverview overview = overview_of(sweep->request, sweep->folder);
  const std::vector<std::string> done = overview.names_done();
  const std::size_t missing = overview.parts.size() - done.size();
  for (const PartProgress& part : overview.parts)
    if (!part.done) fmt::print(stderr, "missing: {}: {}\n", part.name, part_state(part));
  if (missing > 0 && (!options.partial || done.empty())) {
    fmt::print(stderr, "{} of {} {} missing: no table is written{}\n", missing, counted(overview.parts.size(), "part"),
               missing == 1 ? "is" : "are",

               done.empty() ? "" : "; --partial writes one of what is there");
    if (options.json) print_merged_json(overview, nullptr);
    return kFinding;
  }
  MergedTimes times(sweep->folder, done);
  TuneRequest& request = sweep->request;
  request.jobs = options.jobs;
  request.times = &times;
  if (missing > 0)
    request.wanted = [names = std::set(done.begin(), done.end())](const std::string& part) {
      return names.contains(part);
    };
  Progress progress("merging", "steps");
  request.progress = [&](std::size_t steps, std::size_t total, const std::function<double()>& part) {
    progress.update(steps, total, part);
  };
  Table table = tune(request);
  times.keep();
  if (missing > 0)
    table.notes.push_back(fmt::format("{} of {} of the sweep {} missing in this table", missing,
                                      counted(overview.parts.size(), "part"), missing == 1 ? "is" : "are"));
  const TableSummary summary = finish_table(table, request, sweep->machine_name, options.output);
  if (options.json) print_merged_json(overview, summary_json(summary));
  if (times.simulated() > 0)
    fmt::print(stderr, "{} times, which follow from several parts, were simulated while these were joined\n",
               times.simulated());
  if (!times.not_kept().empty()) fmt::print(stderr, "these are not kept for another merge: {}\n", times.not_kept());
  return missing > 0 ? kFinding : kDone;
}

}  // namespace

void add_merge(CLI::App& app, int& status) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* verb = app.add_subcommand(
      "merge",
      "Join the parts of a sweep into the table that one process writes; exit status 1 where some are missing");
  verb->footer("Example: tutti merge sweep -o table.json");
  verb->add_option("directory", options->folder, "the --state of tutti tune --shard")->required();
  verb->add_flag("--partial", options->partial, "write a table of what is there, though parts are missing");
  verb->add_option("--machine", options->machine, "where the machine's file is, if it was moved");
  verb->add_flag("--json", options->json, "for machines: what is missing, and what is in the table");
  verb->add_option("--jobs", options->jobs, "threads")->capture_default_str();
  verb->add_option("-o,--output", options->output, "the table, or - for stdout")->required();
  verb->callback([options, &status] {
    prefer_large_pages();
    status = run_merge(*options);
  });
}

}  // namespace tutti::cli
