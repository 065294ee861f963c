#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.hpp"
#include "base/option_lists.hpp"
#include "cli/interruption.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/python.hpp"
#include "cli/tune_options.hpp"
#include "cli/tuned_table.hpp"
#include "cli/verbs.hpp"
#include "json/text_file.hpp"
#include "selection/asked_amount.hpp"
#include "selection/baselines.hpp"
#include "selection/offers.hpp"
#include "selection/own_choices.hpp"

namespace tutti::cli {
namespace {

constexpr std::int64_t kMost = 1 << 15;  // nodes, and ranks on each

constexpr const char* kOfTuning[] = {"--nodes",     "--ppn",     "--osu-sizes", "--collectives",
                                     "--baselines", "--confirm", "--jobs",      "--state"};

struct StudyOptions {
  TuneOptions tune;
  std::vector<std::string> tables;
  std::string question, folder;
};

/// What makes a study of one collective: a number of ranks in one layout.
class OneLayoutEach {
 public:
  /// Throws InputError where it was there in another.
  void expect(const Place& place, const std::string& from) {
    const auto [known, is_new] = layouts_.try_emplace({place.collective, place.ranks()}, place);
    if (!is_new && known->second != place)
      throw InputError(fmt::format(
          "{}: {} on {} ranks as {} x {} and as {} x {}: expected one layout for each number of ranks", from,
          name_of(place.collective), place.ranks(), known->second.nodes, known->second.ppn, place.nodes, place.ppn));
  }

 private:
  std::map<std::pair<Collective, int>, Place> layouts_;
};

void tune_into(const std::string& path, const TuneOptions& options) {
  const ReadMachine read = load_machine_and_warn(options.machine);
  std::vector<std::string> inputs = read.files;
  if (!options.state.empty()) inputs.push_back(options.state + "/sweep.sqlite");
  expect_apart({path}, inputs);
  expect_writable(path);
  TuneRequest request = request_of(options, read);
  say_when_interrupted(!options.state.empty());
  Progress progress("tuning", "steps");
  request.progress = [&](std::size_t done, std::size_t total, const std::function<double()>& part) {
    progress.update(done, total, part);
  };
  Table table = tune(request);
  finish_table(table, request, options.machine, path);
}

/// By library whose default the cell has: the time of the best that a tuning file can make of it.
nlohmann::json tuned_us(const Cell& cell) {
  std::map<std::string, double> best;
  for (const Exporter* const exporter : exporters()) {
    std::vector<std::string> names = known_versions_of(*exporter);
    if (own_choices_of(*exporter)) names.push_back(exporter->library());
    for (const std::string& name : names) {
      if (!cell.default_seconds.contains(name)) continue;
      const double microseconds = 1e6 * best_offer(offer_for(cell, *exporter, &find_baseline(name)))->second;
      const auto [place, is_new] = best.try_emplace(name, microseconds);
      if (!is_new) place->second = std::min(place->second, microseconds);
    }
  }
  return best;
}

/// The table's JSON, and of each cell what tuned libraries take.
nlohmann::json table_json(const std::string& path, OneLayoutEach& layouts) {
  const Table table = read_table(path);  // refuses what is no table
  expect_equal_blocks(table, path, "a study");
  if (table.cells.empty()) throw InputError(path + ": expected a table with cells");
  for (const Cell& cell : table.cells) layouts.expect(cell.place, path);
  nlohmann::json json = nlohmann::json::parse(to_json_text(table));
  for (std::size_t i = 0; i < table.cells.size(); ++i) json.at("cells").at(i)["tuned_us"] = tuned_us(table.cells[i]);
  return json;
}

/// What would say how to tune, of which a table that is given was.
void expect_none_of(const CLI::App& verb, std::span<const char* const> names) {
  for (const char* const name : names)
    if (verb.count(name) > 0)
      throw InputError(fmt::format("{}: expected together with --machine, for the tables are tuned already", name));
}

/// A folder that is made for what is written into it, and goes again where nothing was.
class MadeFolder {
 public:
  /// Throws InputError where there is none and none can be made.
  explicit MadeFolder(const std::string& path) : path_(path) {
    std::error_code failed;
    made_ = std::filesystem::create_directories(path, failed);
    if (!std::filesystem::is_directory(path)) throw InputError(path + ": expected a folder, or a place to make one");
  }
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;
  ~MadeFolder() {
    std::error_code not_empty;
    if (made_) std::filesystem::remove(path_, not_empty);
  }

 private:
  const std::filesystem::path path_;
  bool made_ = false;
};

int run_study(const StudyOptions& options) {
  if (options.tables.empty() == options.tune.machine.empty()) throw InputError("expected one of TABLE and --machine");
  nlohmann::json all = nlohmann::json::array();
  OneLayoutEach layouts;
  for (const std::string& table : options.tables)
    all.push_back({{"file", table}, {"table", table_json(table, layouts)}});
  if (options.tables.empty()) {
    const std::vector<std::int64_t> all_ppn = parse_list_of("--ppn", options.tune.ppn),
                                    all_nodes = parse_list_of("--nodes", options.tune.nodes);
    expect_few_cells("--nodes and --ppn", all_nodes.size(), all_ppn.size(), 1, 1);
    for (const std::int64_t ppn : all_ppn)
      for (const std::int64_t nodes : all_nodes)
        if (std::clamp<std::int64_t>(nodes, 1, kMost) == nodes &&
            std::clamp<std::int64_t>(ppn, 1, kMost) == ppn)  // others are refused below
          layouts.expect({Collective::bcast, static_cast<int>(nodes), static_cast<int>(ppn)}, "--nodes and --ppn");
  }
  const MadeFolder folder(options.folder);
  if (options.tables.empty()) {
    const std::string own = options.folder + "/table.json";
    tune_into(own, options.tune);
    all.push_back({{"file", own}, {"table", table_json(own, layouts)}});
  }
  std::vector<std::string> arguments{"-o", options.folder};
  const std::string rows = options.folder + "/counts.json";
  if (options.tune.json) arguments.insert(arguments.end(), {"--json", rows});
  const int status = run_script("plots/odd_counts.py", arguments, all.dump());
  if (options.tune.json && status == kDone) fmt::print("{}", read_text_file(rows).value());
  return status;
}

}  // namespace

void add_study(CLI::App& app, int& status) {
  auto options = std::make_shared<StudyOptions>();
  TuneOptions& tune = options->tune;
  tune.nodes = "2-1024";
  tune.osu_sizes = "8,1K,64K,1M";
  tune.baselines = "mpich,open-mpi-4.1,open-mpi-5.0";
  tune.confirming = "none";
  CLI::App* verb = app.add_subcommand(
      "study",
      "At every number of ranks: the best algorithm, what each library's default costs there, and what one rank more "
      "costs");
  verb->footer(
      "Writes counts.csv, a picture of each collective, README.md, and with --machine table.json.\n"
      "Example: tutti study odd-counts --machine example-cluster --nodes 2-16 --collectives bcast -o study");
  verb->add_option("question", options->question, "odd-counts")->required()->check(CLI::IsMember({"odd-counts"}));
  verb->add_option("table", options->tables, "tables that tutti tune --baselines wrote, of one machine");
  verb->add_option("--machine", tune.machine, "tune for this machine first: a name (tutti machines) or file");
  verb->add_option("--nodes", tune.nodes, "numbers of nodes")->capture_default_str();
  verb->add_option("--ppn", tune.ppn, "numbers of ranks per node")->capture_default_str();
  verb->add_option("--osu-sizes", tune.osu_sizes, "sizes as OSU's benchmarks print them")->capture_default_str();
  verb->add_option("--collectives", tune.collectives, "bcast,allreduce  all (default)");
  verb->add_option("--baselines", tune.baselines, "whose defaults to compare with")->capture_default_str();
  verb->add_option("--confirm", tune.confirming, "the engine that decides between choices that are close, or none")
      ->capture_default_str();
  verb->add_option("--jobs", tune.jobs, "simulations at a time")->capture_default_str();
  verb->add_option("--state", tune.state, "a directory that keeps finished cells, so that a killed study resumes");
  verb->add_flag("--json", tune.json, "the rows of counts.csv for machines, also in counts.json");
  verb->add_option("-o,--output", options->folder, "the folder to write to")->required();
  verb->callback([options, verb, &status] {
    prefer_large_pages();
    if (!options->tables.empty()) expect_none_of(*verb, kOfTuning);
    status = run_study(*options);
  });
}

}  // namespace tutti::cli
