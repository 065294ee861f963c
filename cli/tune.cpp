#include "selection/tune.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/proven.hpp"
#include "cli/verbs.hpp"
#include "models/contention.hpp"
#include "models/machine_files.hpp"
#include "models/trust.hpp"
#include "selection/baselines.hpp"
#include "selection/offers.hpp"
#include "selection/pricing.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::string machine, nodes, ppn = "1", bytes, osu_sizes, collectives, algorithms, output, mode = "isolated";
  std::string placement = "block", engine = "fast", confirming, state, baselines, library, costs;
  double bound = 0.05;
  bool exhaustive = false;
  double most_messages = MessageBudget().in_all;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

std::vector<int> counts(const char* option, const std::string& text) {
  std::vector<int> values;
  for (const std::int64_t value : parse_list(text)) {
    if (value < 1 || value > (1 << 24)) throw InputError(fmt::format("{} {}: expected 1 to {}", option, text, 1 << 24));
    values.push_back(static_cast<int>(value));
  }
  return values;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

/// Unless another one is named: SimGrid, where it is built in.
std::string confirming_engine(const Options& options) {
  if (options.confirming == "none") return "";
  if (!options.confirming.empty()) return options.confirming;
  const std::vector<std::string> built_in = engine_names();
  return std::find(built_in.begin(), built_in.end(), "simgrid") != built_in.end() ? "simgrid" : "";
}

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

int run(const Options& options) {
  if (options.bytes.empty() == options.osu_sizes.empty()) throw InputError("expected one of --bytes and --osu-sizes");
  const Machine machine = load_machine_and_warn(options.machine);
  std::vector<std::string> inputs = machine_files(options.machine);
  if (!options.state.empty()) inputs.push_back(options.state + "/sweep.sqlite");
  expect_apart({options.output, options.costs}, inputs);
  expect_writable(options.output);
  TuneRequest request;
  request.machine_text = machine_source(options.machine);
  request.machine = &machine;
  request.nodes = counts("--nodes", options.nodes);
  request.ppn = counts("--ppn", options.ppn);
  request.osu_sizes = !options.osu_sizes.empty();
  request.bytes = parse_list(request.osu_sizes ? options.osu_sizes : options.bytes);
  for (const std::string& name : split(options.collectives)) request.collectives.push_back(collective_named(name));
  if (request.collectives.empty())
    for (int i = 0; i < kCollectives; ++i) request.collectives.push_back(static_cast<Collective>(i));
  request.algorithms = split(options.algorithms);
  request.library = options.library;
  expect_proven(request.algorithms, request.collectives);
  request.baselines = split(options.baselines);
  if (!options.library.empty())
    if (const Baseline* own = own_choices_of(find_exporter_for(options.library)))
      request.baselines.push_back(own->name);
  std::sort(request.baselines.begin(), request.baselines.end());
  request.baselines.erase(std::unique(request.baselines.begin(), request.baselines.end()), request.baselines.end());
  request.placement = options.placement;
  request.engine = options.engine;
  request.confirming = confirming_engine(options);
  request.exhaustive = options.exhaustive;
  if (!(options.most_messages >= 1)) throw InputError("--most-messages: expected at least one");
  request.budget.per_rank *= options.most_messages / request.budget.in_all;
  request.budget.in_all = options.most_messages;
  request.mode = parse_mode(options.mode);
  if (!(options.bound >= 0 && options.bound <= 1))
    throw InputError(
        fmt::format("--bound {}: expected a regret from 0 to 1, such as 0.05: choices may take 5 % longer than the "
                    "best",
                    options.bound));
  request.bound = options.bound;
  if (options.jobs < 1 || options.jobs > 1024) throw InputError("--jobs: expected 1 to 1024");
  request.jobs = options.jobs;
  request.state_directory = options.state;
  request.damaged = [&](std::size_t rows) {
    fmt::print(stderr, "{}/sweep.sqlite: {} damaged rows are simulated anew\n", options.state, rows);
  };
  Progress progress("tuning", "steps");
  request.progress = [&](std::size_t done, std::size_t total, const std::function<double()>& part) {
    progress.update(done, total, part);
  };
  std::ofstream costs;  // line by line, so that a sweep can be watched
  if (!options.costs.empty()) {
    expect_writable(options.costs);
    costs.open(options.costs);
    costs << "engine,collective,nodes,ppn,bytes,algorithm,time_us,exceeded,messages,processor_seconds" << std::endl;
    request.simulated = [&](const SimulationCost& cost) {
      const Simulated& what = cost.what;
      costs << fmt::format("{},{},{},{},{},{},{:.6g},{:d},{},{:.6f}", what.engine, name_of(what.place.collective),
                           what.place.nodes, what.place.ppn, what.bytes, what.choice, 1e6 * what.seconds, what.exceeded,
                           cost.messages, cost.processor_seconds)
            << std::endl;
    };
  }
  Table table = tune(request);
  if (!request.baselines.empty()) print_gains(table, request.baselines.size());
  if (const std::string note = contention_note(fabric_levels(*machine.network)); !note.empty())
    table.notes.push_back(note);
  const Provenance provenance = provenance_of(request.machine_text, options.machine);
  for (Rule& rule : table.rules) rule.trust = trust_of(rule, machine, provenance, table);
  write_output(options.output, to_json_text(table));
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
      options.output, table.cells.size(), table.rules.size(), times - inferred, inferred, table.dropped, table.refused,
      table.left_out);
  if (costs.is_open()) costs.close();
  if (!costs) throw InputError(options.costs + ": cannot be written: it does not hold all costs; the table is written");
  return kDone;
}

}  // namespace

void add_tune(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("tune", "Find the best algorithm for every case and write the selection table");
  verb->footer(
      "Example: tutti tune --machine example-cluster --nodes 2-16 --ppn 1,8 --osu-sizes 8:1M --collectives bcast -o "
      "table.json");
  verb->add_option("--machine", options->machine, "a machine's name (tutti machines) or file")->required();
  verb->add_option("--nodes", options->nodes, "numbers of nodes: 2-16  2,3,5")->required();
  verb->add_option("--ppn", options->ppn, "numbers of ranks per node")->capture_default_str();
  verb->add_option("--bytes", options->bytes, "sizes in the total convention");
  verb->add_option("--osu-sizes", options->osu_sizes, "sizes as OSU's benchmarks print them");
  verb->add_option("--collectives", options->collectives, "bcast,allreduce (default: all)");
  verb->add_option("--algorithms", options->algorithms,
                   "only these: ring,knomial:radix=8 (default: all, with a grid of parameters)");
  verb->add_option("--placement", options->placement, "block or cyclic")->capture_default_str();
  verb->add_option("--engine", options->engine, "the simulator")->capture_default_str();
  verb->add_option("--confirm", options->confirming,
                   "the engine that decides between choices that are close, or none (default: simgrid)");
  verb->add_flag("--exhaustive", options->exhaustive, "simulate every choice at every size, however long it takes");
  verb->add_option("--most-messages", options->most_messages,
                   fmt::format("simulations of more messages are replaced by smaller ones and an extrapolation; up to "
                               "{} times as many are made where no smaller ones tell, and for --baselines",
                               kLargestBudgetFactor))
      ->capture_default_str();
  verb->add_option("--mode", options->mode, "isolated, barrier, back-to-back:CALLS, skew:SECONDS")
      ->capture_default_str();
  verb->add_option("--bound", options->bound, "the regret that merging size ranges may cost: 0.05 is 5 %")
      ->capture_default_str();
  verb->add_option("--jobs", options->jobs, "simulations at a time")->capture_default_str();
  verb->add_option("--state", options->state, "a directory that keeps finished cells, so that a killed sweep resumes");
  verb->add_option("--baselines", options->baselines,
                   "what libraries pick themselves is a candidate, no rule is slower than it, and what is gained is "
                   "said: open-mpi-4.1,mpich");
  verb->add_option(
      "--for", options->library,
      "search only among what this library's tuning file can say, and say what is gained over what it picks "
      "itself: open-mpi-4.1");
  verb->add_option("--costs", options->costs, "a CSV file: what was simulated, and the processor time that it took");
  verb->add_option("-o,--output", options->output, "the table, or - for stdout")->required();
  verb->callback([options, &status] {
    prefer_large_pages();
    status = run(*options);
  });
}

}  // namespace tutti::cli
