#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/python.hpp"
#include "cli/sharded.hpp"
#include "cli/sweep_verbs.hpp"
#include "cli/verbs.hpp"
#include "selection/sweep_overview.hpp"

namespace tutti::cli {
namespace {

constexpr const char* kStatusFolders =
    "expected the --state of tutti tune --shard, or the folder of tutti validate --mpi, calibrate --mpi or plan";

struct StatusOptions {
  std::string folder, machine;
  bool json = false;
};

const char* state_word(const PartProgress& part) {
  return part.done               ? "done"
         : !part.failure.empty() ? "failed"
         : !part.damage.empty()  ? "damaged"
         : part.begun            ? "under way"
                                 : "waiting";
}

/// Of all that is left, in processor time; nothing while nothing tells.
std::optional<double> seconds_left(const SweepOverview& overview) {
  if (overview.part_done <= 0) return std::nullopt;
  return overview.seconds_done * (1 - overview.part_done) / overview.part_done;
}

void print_status_json(const SweepOverview& overview) {
  nlohmann::ordered_json parts = nlohmann::json::array();
  for (const PartProgress& part : overview.parts) {
    nlohmann::ordered_json one{
        {"name", part.name}, {"state", state_word(part)}, {"places", part.places}, {"places_done", part.places_done}};
    if (part.begun) one["by"] = part.by, one["seconds_since_written"] = part.seconds_since_written;
    if (!part.failure.empty() || !part.damage.empty()) one["why"] = part.failure.empty() ? part.damage : part.failure;
    parts.push_back(std::move(one));
  }
  nlohmann::ordered_json all{{"parts", std::move(parts)},
                             {"part_done", overview.part_done},
                             {"processor_seconds_done", overview.seconds_done}};
  const std::optional<double> left = seconds_left(overview);
  all["processor_seconds_left"] = left ? nlohmann::ordered_json(*left) : nlohmann::ordered_json(nullptr);
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_status(const SweepOverview& overview) {
  const auto count = [&](const char* state) {
    return std::count_if(overview.parts.begin(), overview.parts.end(),
                         [&](const PartProgress& part) { return std::string(state_word(part)) == state; });
  };
  const auto under_way = count("under way");
  fmt::print("{}: {} done, {} under way, {} waiting, {} failed, {} damaged\n", counted(overview.parts.size(), "part"),
             count("done"), under_way, count("waiting"), count("failed"), count("damaged"));
  for (const PartProgress& part : overview.parts)
    if (!part.done && part.begun && part.failure.empty())
      fmt::print("under way: {}: {} of {} places, written {:.0f} s ago by {}\n", part.name, part.places_done,
                 part.places, part.seconds_since_written, part.by);
  for (const PartProgress& part : overview.parts) {
    if (!part.failure.empty()) fmt::print("failed: {}: {}\n", part.name, part.failure);
    if (!part.damage.empty()) fmt::print("damaged: {}\n", part.damage);
  }
  if (const std::optional<double> left = seconds_left(overview); left && *left > 0)
    fmt::print("{:.0f} % of the work: {:.0f} s of processor time so far, about {:.0f} s left{}\n",
               100 * overview.part_done, overview.seconds_done, *left,
               under_way > 0 ? fmt::format(", which is {:.0f} s if {} go on at a time",
                                           *left / static_cast<double>(under_way), under_way)
                             : "");
  else
    fmt::print("{:.0f} s of processor time so far\n", overview.seconds_done);
}

/// Whether a script of MPI jobs lies there, whole or in parts (validation/progress.py): of a campaign, its rounds, and
/// of each those of its numbers of nodes.
bool has_mpi_jobs(const std::filesystem::path& folder) {
  if (exists(folder / "jobs.txt")) return true;
  if (!is_directory(folder)) return false;
  return std::any_of(std::filesystem::directory_iterator(folder), {}, [](const auto& inner) {
    const std::string name = inner.path().filename();
    const bool may_hold_jobs = name.starts_with("part-") || name.starts_with("nodes-") || name.starts_with("round-");
    return may_hold_jobs && inner.is_directory() && has_mpi_jobs(inner.path());
  });
}

int run_status(const StatusOptions& options) {
  if (has_mpi_jobs(options.folder)) {
    if (!options.machine.empty())
      throw InputError("--machine: " + options.folder + " holds MPI jobs, of which no machine's file tells anything");
    std::vector<std::string> words{options.folder};
    if (options.json) words.emplace_back("--json");
    run_python("validation.status", words);
  }
  if (!std::filesystem::is_directory(options.folder))
    throw InputError(options.folder + ": no directory, " + kStatusFolders);
  if (!exists(std::filesystem::path(options.folder) / "sweep.json"))
    throw InputError(options.folder + ": neither a sweep's sweep.json nor jobs of MPI are in it, " + kStatusFolders +
                     ". A plan has none while no round fits its --budget");
  const auto sweep = load_sweep(options.folder, options.machine);
  const SweepOverview overview = overview_of(sweep->request, sweep->folder);
  options.json ? print_status_json(overview) : print_status(overview);
  const bool has_failed = std::any_of(overview.parts.begin(), overview.parts.end(), [](const PartProgress& part) {
    return !part.failure.empty() || !part.damage.empty();
  });
  return has_failed ? kFinding : kDone;
}

}  // namespace

void add_status(CLI::App& app, int& status) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* verb = app.add_subcommand("status",
                                      "How far a sweep of several processes or a script of MPI jobs is, what failed, "
                                      "and what is left; status 1 after failures");
  verb->footer("Example: tutti status sweep");
  verb->add_option(
          "directory", options->folder,
          "the --state of tutti tune --shard, or the folder of tutti validate --mpi, tutti calibrate --mpi, tutti plan "
          "or one of its rounds")
      ->required();
  verb->add_flag("--json", options->json, "for machines");
  verb->add_option("--machine", options->machine, "where the machine's file is, if it was moved");
  verb->callback([options, &status] { status = run_status(*options); });
}

}  // namespace tutti::cli
