#include "cli/tune_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "algos/named_choice.hpp"
#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/option_lists.hpp"
#include "cli/collectives.hpp"
#include "cli/counts.hpp"
#include "cli/proven.hpp"
#include "selection/asked_amount.hpp"
#include "selection/baselines.hpp"
#include "selection/offers.hpp"
#include "selection/own_choices.hpp"
#include "selection/sweep_plan.hpp"

namespace tutti::cli {
namespace {

std::vector<int> counts_of_option(const char* option, const std::string& text) {
  std::vector<int> values;
  for (const std::int64_t value : parse_list_of(option, text)) {
    if (value < 1 || value > (1 << 24)) throw InputError(fmt::format("{} {}: expected 1 to {}", option, text, 1 << 24));
    values.push_back(static_cast<int>(value));
  }
  return values;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

/// Counts from a file, for the one number of ranks and the collectives that it is of; where no sizes are asked for, at
/// its own.
void read_spread(const TuneOptions& options, TuneRequest& request) {
  const auto of_pairs = [](Collective collective) { return collective == Collective::alltoallv; };
  const bool pairs = of_pairs(request.collectives.front());
  if (request.nodes.size() != 1 || request.ppn.size() != 1)
    throw InputError("--counts " + options.counts + ": expected one number of nodes and of ranks on each");
  for (const Collective collective : request.collectives)
    if (of_pairs(collective) != pairs || options.collectives.empty())
      throw InputError("--counts " + options.counts +
                       ": expected --collectives, alltoallv alone or others without it, for a file is of one kind");
  const int ranks = request.nodes.front() * request.ppn.front();
  request.counts = spread_of_file(options.counts, ranks, pairs);
  if (!request.bytes.empty()) return;
  for (const Collective collective : request.collectives)
    if (default_element_bytes(collective) != default_element_bytes(request.collectives.front()))
      throw InputError("--counts " + options.counts + ": elements of " + std::string(name_of(collective)) + " and " +
                       std::string(name_of(request.collectives.front())) +
                       " are not of one size: expected one of them, or --bytes");
  request.bytes = {bytes_of_file(options.counts, ranks, request.collectives.front())};
}

/// Unless another one is named: SimGrid, where it is built in.
std::string confirming_engine(const TuneOptions& options) {
  if (options.confirming == "none") return "";
  if (!options.confirming.empty()) return options.confirming;
  const std::vector<std::string> built_in = engine_names();
  return std::find(built_in.begin(), built_in.end(), "simgrid") != built_in.end() ? "simgrid" : "";
}

std::set<int> rank_counts(const TuneRequest& request) {
  std::set<int> all;
  for (const int nodes : request.nodes)
    for (const int ppn : request.ppn)
      all.insert(static_cast<int>(std::min<std::int64_t>(std::int64_t{nodes} * ppn, std::numeric_limits<int>::max())));
  return all;
}

/// Of all that there are; where the user names collectives or algorithms, nothing is left out.
void leave_out_untold(TuneRequest& request) {
  std::string names;
  for (const Collective collective : untold(request)) {
    std::erase(request.collectives, collective);
    names += (names.empty() ? "" : ", ") + std::string(name_of(collective));
  }
  if (!names.empty())
    fmt::print(stderr, "not tuned, as {} cannot be told anything of it: {}\n", request.library_named, names);
}

}  // namespace

constexpr double kMostMessages = 1e15;

TuneRequest request_of(const TuneOptions& options, const ReadMachine& read) {
  TuneRequest request;
  request.machine_text = read.text;
  request.machine_files = read.files;
  request.machine = &read.machine;
  request.nodes = counts_of_option("--nodes", options.nodes);
  request.ppn = counts_of_option("--ppn", options.ppn);
  request.osu_sizes = !options.osu_sizes.empty();
  const std::string& sizes = request.osu_sizes ? options.osu_sizes : options.bytes;
  if (!sizes.empty())
    request.bytes = parse_list_of(request.osu_sizes ? "--osu-sizes" : "--bytes", sizes);
  else if (options.counts.empty())
    request.bytes = {0};  // of barriers alone
  request.collectives = options.counts.empty() ? collectives_named(split_at_commas(options.collectives))
                                               : irregular_collectives_named(split_at_commas(options.collectives));
  std::sort(request.collectives.begin(), request.collectives.end());  // in any order it is the same sweep
  request.collectives.erase(std::unique(request.collectives.begin(), request.collectives.end()),
                            request.collectives.end());
  expect_few_cells(fmt::format("--nodes, --ppn, {} and --collectives", request.osu_sizes ? "--osu-sizes" : "--bytes"),
                   request.nodes.size(), request.ppn.size(), request.bytes.size(), request.collectives.size());
  request.counts = options.counts;
  if (is_counts_file(options.counts)) read_spread(options, request);
  if (!options.algorithms.empty()) request.algorithms = split_choices(options.algorithms);
  expect_proven(request.algorithms, request.collectives, rank_counts(request));
  request.baselines = split_at_commas(options.baselines);
  request.library_named = options.library;
  if (const Exporter* exporter = exporter_of_version(options.library)) {
    request.library = exporter->library();
    request.baselines.push_back(options.library);
  } else if (!options.library.empty()) {
    request.library = options.library;
    if (const Baseline* own = own_choices_of(find_exporter_for(options.library)))
      request.baselines.push_back(own->name);
  }
  const bool of_all = options.collectives.empty() || options.collectives == "all";
  if (of_all && request.algorithms.empty()) leave_out_untold(request);
  std::sort(request.baselines.begin(), request.baselines.end());
  request.baselines.erase(std::unique(request.baselines.begin(), request.baselines.end()), request.baselines.end());
  request.placement = options.placement;
  request.engine = options.engine;
  request.confirming = confirming_engine(options);
  request.exhaustive = options.exhaustive;
  if (!(options.most_messages >= 1 && options.most_messages <= kMostMessages))
    throw InputError(fmt::format("--most-messages: expected 1 to {:g}", kMostMessages));
  request.budget = MessageBudget::of(options.most_messages);
  const std::vector<std::string> loads = loads_of(options.loads, options.noise);
  if (loads.size() < 2 && !options.robust.empty())
    throw InputError("--robust: expected several --background or --noise, or none beside one");
  request.loads = parse_loads(loads, options.robust.empty() ? "worst" : options.robust,
                              options.statistic.empty() ? "median" : options.statistic);
  if (request.loads.are_none() && !options.statistic.empty())
    throw InputError(
        "--statistic: expected --background or --noise beside it, for else every call takes the same time");
  const char* mode = request.loads.are_none() ? "isolated" : kManyCalls;
  request.mode = parse_mode(options.mode.empty() ? mode : options.mode);
  if (request.mode.calls == 1 && !options.statistic.empty())
    throw InputError("--statistic: expected several calls, as of --mode " + std::string(kManyCalls) + ", not --mode " +
                     options.mode);
  if (!request.loads.are_none() && options.confirming.empty()) request.confirming.clear();
  if (!(options.bound >= 0 && options.bound <= 1))
    throw InputError(
        fmt::format("--bound {}: expected a regret from 0 to 1, such as 0.05: choices may take 5 % longer than the "
                    "best",
                    options.bound));
  request.bound = options.bound;
  expect_thread_count(options.jobs, "--jobs");
  request.jobs = options.jobs;
  request.state_directory = options.state;
  request.damaged = [&](std::size_t rows) {
    fmt::print(stderr, "{}/sweep.sqlite: {} damaged rows are simulated anew\n", options.state, rows);
  };
  return request;
}

std::vector<std::string> arguments_of(const TuneOptions& options) {
  const TuneOptions usual;
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const std::string& value, const std::string& otherwise = "") {
    if (value != otherwise) arguments.insert(arguments.end(), {option, value});
  };
  add("--machine", options.machine);
  add("--nodes", options.nodes);
  add("--ppn", options.ppn, usual.ppn);
  add("--bytes", options.bytes);
  add("--osu-sizes", options.osu_sizes);
  add("--collectives", options.collectives);
  add("--counts", options.counts);
  add("--algorithms", options.algorithms);
  add("--placement", options.placement, usual.placement);
  add("--engine", options.engine, usual.engine);
  add("--confirm", options.confirming);
  add("--most-messages", fmt::format("{}", options.most_messages), fmt::format("{}", usual.most_messages));
  add("--mode", options.mode);
  for (const std::string& load : options.loads) add("--background", load);
  for (const std::string& noise : options.noise) add("--noise", noise);
  add("--robust", options.robust);
  add("--statistic", options.statistic);
  add("--bound", fmt::format("{}", options.bound), fmt::format("{}", usual.bound));
  add("--baselines", options.baselines);
  add("--for", options.library);
  if (options.exhaustive) arguments.push_back("--exhaustive");
  return arguments;
}

}  // namespace tutti::cli
