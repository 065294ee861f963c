#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "algos/error.hpp"
#include "algos/sizes.hpp"
#include "cli/critical_path.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/operator.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "selection/baselines.hpp"
#include "sim/engine.hpp"
#include "sim/proof/contributions.hpp"

namespace tutti::cli {
namespace {

constexpr const char* kCsvHeader =
    "system,collective,algorithm,ranks,nodes,ppn,bytes,bytes_simulated,time_us,messages,engine,mode\n";

struct Options {
  std::string collective, machine, algorithms, bytes, osu_sizes, engine = "fast", mode = "isolated", op = "sum", csv,
                                                                 trace;
  LayoutOptions layout;
  Rank root = 0;
  std::optional<std::int32_t> element;
  std::uint64_t seed = 1;
  bool json = false, in_place = false, check = false, critical_path = false;
};

struct Row {
  std::string algorithm;  // as asked for: "binomial", "default:mpich"
  std::string chosen;     // what stands behind a default
  std::int64_t bytes = 0, bytes_simulated = 0;
  bool optional = false;
  Result result;
};

/// What is to be simulated: a choice, or what a library would choose for each case.
struct Candidate {
  Choice choice;
  const Baseline* baseline = nullptr;
  bool optional = false;  // left out where it cannot run
};

constexpr std::string_view kDefault = "default:";

std::vector<Candidate> candidates_of(Collective collective, const std::string& text) {
  std::vector<Candidate> candidates;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, comma - begin);
    begin = comma + 1;
    if (name == "all")
      for (const Algorithm* a : algorithms_of(collective)) candidates.push_back({default_choice(*a), nullptr, true});
    else if (name.starts_with(kDefault))
      candidates.push_back({{}, &find_baseline(name.substr(kDefault.size())), false});
    else
      candidates.push_back({parse_choice(collective, name), nullptr, false});
  }
  return candidates;
}

std::string csv_text(const std::vector<Row>& rows, const Options& options, const Machine& machine,
                     const Layout& layout) {
  std::string text = kCsvHeader;
  for (const Row& row : rows)
    text += fmt::format("{},{},{},{},{},{},{},{},{:.6f},{},{},{}\n", machine.name, options.collective, row.algorithm,
                        layout.ranks, layout.nodes, layout.ppn, row.bytes, row.bytes_simulated,
                        row.result.makespan_seconds * 1e6, row.result.messages, options.engine, options.mode);
  return text;
}

nlohmann::ordered_json json_of(const std::vector<Row>& rows, const Options& options, const Machine& machine,
                               const Layout& layout) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
    for (const double seconds : row.result.seconds_per_rank) ranks.push_back(seconds * 1e6);
    all.push_back({{"system", machine.name},
                   {"collective", options.collective},
                   {"algorithm", row.algorithm},
                   {"chosen", row.chosen.empty() ? row.algorithm : row.chosen},
                   {"ranks", layout.ranks},
                   {"nodes", layout.nodes},
                   {"ppn", layout.ppn},
                   {"bytes", row.bytes},
                   {"bytes_simulated", row.bytes_simulated},
                   {"time_us", row.result.makespan_seconds * 1e6},
                   {"messages", row.result.messages},
                   {"engine", options.engine},
                   {"mode", options.mode},
                   {"time_us_per_rank", ranks},
                   {"bytes_per_level", row.result.bytes_per_level},
                   {"critical_path", critical_path_json(row.result, *machine.network)},
                   {"bounds", bounds_json(row.result, *machine.network)}});
    if (options.check) all.back()["wrong"] = row.result.fault;
  }
  return all;
}

void print_table(const std::vector<Row>& rows, const Options& options, const Machine& machine, const Layout& layout) {
  fmt::print("{} on {}: {} ranks, {} nodes, {} per node, {}, {}\n", options.collective, machine.name, layout.ranks,
             layout.nodes, layout.ppn, options.engine, options.mode);
  fmt::print("{:<34} {:>12} {:>14} {:>10}\n", "algorithm", "bytes", "time us", "messages");
  for (const Row& row : rows)
    fmt::print("{:<34} {:>12} {:>14.3f} {:>10}{}\n", row.algorithm, row.bytes, row.result.makespan_seconds * 1e6,
               row.result.messages, row.chosen.empty() ? "" : "  " + row.chosen);
  for (const Row& row : rows)
    if (options.critical_path)
      fmt::print("\n{}", critical_path_text(fmt::format("{}, {} bytes", row.algorithm, row.bytes), row.result,
                                            *machine.network));
}

/// Every element has a place in memory.
void refuse_too_many_elements(const Case& c) {
  constexpr Count kMost = 1 << 26;
  Count elements = 0;
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    const BufferSizes sizes = buffer_sizes(c, rank);
    elements += sizes.in + sizes.out;
    if (elements > kMost)
      throw InputError(
          fmt::format("--check: expected at most {} elements on all ranks; --element makes them fewer", kMost));
  }
}

/// On stderr, since stdout has the times.
int report_check(const std::vector<Row>& rows) {
  int wrong = 0;
  for (const Row& row : rows)
    if (!row.result.fault.empty()) {
      ++wrong;
      fmt::print(stderr, "wrong: {}, {} bytes: {}\n", row.chosen.empty() ? row.algorithm : row.chosen, row.bytes,
                 row.result.fault);
    }
  fmt::print(stderr, "results checked on every rank: {} right, {} wrong\n",
             rows.size() - static_cast<std::size_t>(wrong), wrong);
  return wrong > 0 ? kFinding : kDone;
}

int run(Options options) {
  options.mode = parse_mode(options.mode).text();  // as rows repeat it
  const Collective collective = collective_named(options.collective);
  const Machine machine = load_machine(options.machine);
  const Layout layout = make_layout(machine, options.layout);
  if (options.bytes.empty() == options.osu_sizes.empty() && collective != Collective::barrier)
    throw InputError("expected one of --bytes and --osu-sizes");
  if (options.root < 0 || options.root >= layout.ranks)
    throw InputError(fmt::format("--root {}: expected a rank of {}", options.root, layout.ranks));
  if (options.json && options.csv == "-") throw InputError("--json and --csv -: expected one result on stdout");
  if (options.trace == "-") throw InputError("--trace -: expected a file, for the times go to stdout");
  for (const std::string& path : {options.csv, options.trace})
    if (!path.empty()) expect_writable(path);
  const bool osu = !options.osu_sizes.empty();
  const std::string& list = osu ? options.osu_sizes : options.bytes;
  std::vector<std::int64_t> sizes{0};
  if (collective != Collective::barrier) sizes = parse_list(list);
  const std::vector<Candidate> candidates = candidates_of(collective, options.algorithms);

  std::vector<Row> rows;
  std::vector<Experiment> experiments;
  std::set<std::string> remarks;
  for (const std::int64_t size : sizes)
    for (const Candidate& candidate : candidates) {
      const std::int64_t bytes = osu ? total_from_osu_bytes(collective, layout.ranks, size) : size;
      Case c{collective,
             layout.ranks,
             0,
             options.element.value_or(default_element_bytes(collective)),
             options.root,
             options.in_place,
             operator_named(options.op)};
      if (c.element_bytes < 1) throw InputError("--element: expected 1 byte or more");
      c.count = count_for_total_bytes(collective, c.ranks, c.element_bytes, bytes);
      Row row{
          candidate.choice.algorithm ? candidate.choice.text() : "", "", bytes, total_bytes(c), candidate.optional, {}};
      Choice choice = candidate.choice;
      if (candidate.baseline) {
        const BaselinePick picked = pick(*candidate.baseline, c, layout.nodes);
        choice = picked.choice;
        row.algorithm = std::string(kDefault) + candidate.baseline->name;
        row.chosen = choice.text();
        if (!picked.remark.empty()) remarks.insert(candidate.baseline->name + ": " + picked.remark);
      }
      if (const std::string reason = why_not(choice, c); !reason.empty()) {
        if (candidate.optional) continue;
        throw InputError(choice.algorithm->full_name() + " cannot run: it " + reason);
      }
      if (options.check) refuse_too_many_elements(c);
      experiments.push_back({c, choice, layout.core_of_rank, parse_mode(options.mode), options.seed,
                             !options.trace.empty() || options.json || options.critical_path,
                             options.check ? proof::make_contributions : nullptr});
      rows.push_back(std::move(row));
    }
  if (!options.trace.empty() && experiments.size() != 1)
    throw InputError("--trace: expected one algorithm and one size, not " + std::to_string(experiments.size()) +
                     " runs");
  std::vector<Result> results = make_engine(options.engine)->run(machine, experiments);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].result = std::move(results[i]);
  for (const Row& row : rows)
    if (!row.result.refused.empty()) {
      if (!row.optional) throw InputError(row.result.refused);
      fmt::print(stderr, "left out: {}\n", row.result.refused);
    }
  std::erase_if(rows, [](const Row& row) { return !row.result.refused.empty(); });
  if (rows.empty()) throw InputError(options.collective + ": none of the algorithms can run here");
  for (const std::string& remark : remarks) fmt::print(stderr, "{}\n", remark);
  if (!options.trace.empty()) write_output(options.trace, chrome_trace(rows.front().result));
  if (!options.csv.empty()) write_output(options.csv, csv_text(rows, options, machine, layout));
  if (options.json)
    fmt::print("{}\n", json_of(rows, options, machine, layout).dump(1));
  else if (options.csv != "-")
    print_table(rows, options, machine, layout);
  return options.check ? report_check(rows) : kDone;
}

}  // namespace

void add_simulate(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("simulate", "Predict the times of algorithms on a machine");
  verb->footer(
      "Example: tutti simulate bcast --machine example-cluster --algorithm all --nodes 12 --ppn 1 --bytes 8:1M\n"
      "Example: tutti simulate allreduce --machine example-cluster --algorithm ring --nodes 3 --ppn 2 --bytes 64K "
      "--mode "
      "skew:1e-6 --trace trace.json --critical-path");
  verb->add_option("collective", options->collective, "the collective")->required();
  verb->add_option("--machine", options->machine, "a machine's name (tutti machines) or file")->required();
  verb->add_option("--algorithm", options->algorithms,
                   "binomial  ring,knomial:radix=8  all  default:open-mpi-4.1 (what the library picks itself)")
      ->required();
  verb->add_option("--nodes", options->layout.nodes, "number of nodes");
  verb->add_option("--ppn", options->layout.ppn, "ranks on each node");
  verb->add_option("--ranks", options->layout.ranks, "number of ranks");
  verb->add_option("--bytes", options->bytes, "sizes in the total convention: 1K  8,64K  4:16M (doubling)");
  verb->add_option("--osu-sizes", options->osu_sizes, "sizes as OSU's benchmarks print them");
  verb->add_option("--placement", options->layout.placement, "block, cyclic, or a CSV of rank,node[,group[,leaf]]")
      ->capture_default_str();
  verb->add_option("--engine", options->engine, "the simulator")->capture_default_str();
  verb->add_option("--mode", options->mode,
                   "isolated, barrier[:ALGORITHM], loop:CALLS[:ALGORITHM], back-to-back:CALLS, skew:SECONDS")
      ->capture_default_str();
  verb->add_option("--root", options->root, "the root of rooted collectives")->capture_default_str();
  verb->add_option("--element", options->element, "bytes of an element (default 4 in reductions, else 1)");
  verb->add_option("--op", options->op, "sum, product, min, max, user-commutative, user (not commutative)")
      ->capture_default_str();
  verb->add_flag("--in-place", options->in_place, "input and output in one buffer");
  verb->add_option("--seed", options->seed, "of the skew")->capture_default_str();
  verb->add_option("--csv", options->csv, "write CSV to a file, or - for stdout");
  verb->add_option("--trace", options->trace, "write a trace for Perfetto or chrome://tracing (one run)");
  verb->add_flag("--check", options->check,
                 "have the simulated messages carry the contributions of the proof, and check every rank's results");
  verb->add_flag("--critical-path", options->critical_path,
                 "which ranks, messages and resources the time was spent on, one after the other");
  verb->add_flag("--json", options->json,
                 "an array for machines, with times per rank, bytes per level of links and the critical path");
  verb->callback([options, &status] {
    prefer_large_pages();
    status = run(*options);
  });
}

}  // namespace tutti::cli
