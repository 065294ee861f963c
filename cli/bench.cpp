#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "algos/named_choice.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "base/option_lists.hpp"
#include "base/sizes.hpp"
#include "cli/bench_plan.hpp"
#include "cli/counts.hpp"
#include "cli/neighbors.hpp"
#include "cli/verbs.hpp"
#include "runtime/bench/buffers.hpp"
#include "runtime/bench/collective.hpp"
#include "runtime/bench/node.hpp"
#include "runtime/bench/point_to_point.hpp"
#include "runtime/bench/room.hpp"
#include "selection/baselines.hpp"

namespace tutti::cli {
namespace {

struct BenchOptions {
  std::string what, algorithms, bytes, osu_sizes, counts, neighbors, table, transports;
  Rank root = 0;
  double seconds = 0.3;
  bool json = false, fresh = false, unchecked = false;
  PlanOptions plan;
};

/// Rank 0 alone prints.
class Report {
 public:
  Report(const Team& team, const BenchOptions& options) : speaks_(team.rank() == 0), json_(options.json) {}
  /// Printed once a line follows it: not before a refusal.
  template <class... Arguments>
  void heading(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    heading_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!speaks_ || json_) return;
    fmt::print("{}{}\n", heading_, fmt::format(format, std::forward<Arguments>(arguments)...));
    heading_.clear();
    std::fflush(stdout);
  }
  void row(nlohmann::ordered_json row) { rows_.push_back(std::move(row)); }
  nlohmann::ordered_json& last() { return rows_.back(); }
  void end() const {
    if (speaks_ && json_) fmt::print("{}\n", rows_.dump(1));
  }

 private:
  bool speaks_, json_;
  std::string heading_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

std::vector<std::int64_t> sizes_of(const BenchOptions& options, const char* standard) {
  if (!options.bytes.empty() && !options.osu_sizes.empty())
    throw InputError("--bytes and --osu-sizes: expected one of them");
  const std::string& given = options.bytes.empty() ? options.osu_sizes : options.bytes;
  if (given.empty()) return parse_list(standard);
  return parse_list_of(options.bytes.empty() ? "--osu-sizes" : "--bytes", given);
}

std::string size_name(const BenchOptions& options, std::int64_t size) {
  return fmt::format("{} {}", options.osu_sizes.empty() ? "--bytes" : "--osu-sizes", format_size(size));
}

/// Nothing where the choice goes by a level that nobody knows here, which the team refuses with those that it knows.
std::string why_not_here(const Team& team, const Choice& choice, const Case& c) {
  return absent_level(choice, TeamLayout::levels()) ? "" : why_not(choice, c, team.layout().places());
}

/// What is asked for by name, which has to run; empty: as the table says.
std::string runnable_choice(const Team& team, const std::string& name, const Case& c) {
  if (name.empty()) return name;
  const Choice choice = choice_asked_for(name, c, team.layout().on_nodes());
  if (const std::string reason = why_not_here(team, resolve(choice, c), c); !reason.empty())
    throw InputError(fmt::format("{} cannot run {} of {} bytes on {} ranks: it {}", name, name_of(c.collective),
                                 total_bytes(c), c.ranks, reason));
  return choice.text();
}

std::vector<std::string> algorithms_to_run(const Team& team, const BenchOptions& options, Collective collective,
                                           const Case& c) {
  if (options.algorithms != "all") {
    std::vector<std::string> asked = split_choices(options.algorithms);
    for (std::string& name : asked) name = runnable_choice(team, name, c);
    return asked;
  }
  std::vector<std::string> names;
  for (const Algorithm* a : algorithms_of(collective))
    if (why_not(resolve(default_choice(*a), c), c).empty() && resolve(default_choice(*a), c).algorithm == a)
      names.push_back(a->name());
  return names;
}

/// A row that a table was asked for and did not choose passes for its choice.
void tell_what_no_rule_chose(const Team& team, const BenchOptions& options, const std::string& size) {
  if (team.rank() == 0)
    fmt::print(stderr, "tutti: {}: no rule for {}{} on {} ranks of {} nodes: measured as without a table\n",
               options.table, options.what, size, team.size(), team.layout().nodes());
}

/// A file's counts among neighbours, which say the size too; else nothing.
std::shared_ptr<const BlockCounts> counts_from_file(const CountsOption& counts, const BenchOptions& options,
                                                    Collective collective,
                                                    const std::shared_ptr<const Neighborhood>& neighborhood) {
  if (!counts.is_file() || !neighborhood) return nullptr;
  if (!options.bytes.empty() || !options.osu_sizes.empty())
    throw InputError("--counts " + counts.text() + ": expected no --bytes or --osu-sizes, for the file says them");
  return counts.applied(bench::case_of(collective, neighborhood->ranks(), 0, 0, "", neighborhood), 0).counts;
}

void run_collective(Team& team, const BenchOptions& options, Report& report) {
  const Collective collective = any_collective_named(options.what);
  const CountsOption counts(options.counts, collective);
  const auto neighborhood = NeighborsOption(options.neighbors, collective).of(team.size());
  const std::shared_ptr<const BlockCounts> given = counts_from_file(counts, options, collective, neighborhood);
  const std::string spread = given ? ""
                             : counts.is_file()
                                 ? spread_of_file(options.counts, team.size(), collective == Collective::alltoallv)
                                 : options.counts;
  const bool at_own_size = counts.is_file() && options.bytes.empty() && options.osu_sizes.empty();
  const std::vector<std::int64_t> sizes =
      collective == Collective::barrier ? std::vector<std::int64_t>{0}
      : given                           ? std::vector<std::int64_t>{total_bytes(
                                              bench::case_of(collective, team.size(), 0, options.root, "", neighborhood, given))}
      : at_own_size ? std::vector<std::int64_t>{bytes_of_file(options.counts, team.size(), collective)}
                    : sizes_of(options, "8:1M");
  const auto total_of = [&](std::int64_t size) {
    return options.osu_sizes.empty() ? size : total_from_osu_bytes(collective, team.size(), size);
  };
  const auto case_of = [&](std::int64_t size) {
    return bench::case_of(collective, team.size(), total_of(size), options.root, spread, neighborhood, given);
  };
  const bench::Room room(team);
  for (const std::int64_t size : sizes) {  // before the first is measured
    algorithms_to_run(team, options, collective, case_of(size));
    room.expect_calls(size_name(options, size), case_of(size), options.fresh ? 2 : 1);  // fresh: of two calls at least
  }
  report.heading("# Tutti {} on {} ranks of {} nodes, {} memory, results {}", options.what, team.size(),
                 team.layout().nodes(), options.fresh ? "fresh" : "reused",
                 options.unchecked ? "not checked" : "checked");
  report.heading(
      "# Size is {}; average, minimum and maximum are of the ranks' means, median and p99 of the slowest rank",
      options.osu_sizes.empty() ? "the total" : "what OSU prints");
  report.heading("{:<12}{:>18}{:>18}{:>18}{:>12}{:>12}{:>12}  {}", "# Size", "Avg Latency(us)", "Min Latency(us)",
                 "Max Latency(us)", "Median(us)", "P99(us)", "Iterations", "Algorithm");
  for (const std::int64_t size : sizes) {
    bench::CollectiveRequest request;
    request.collective = collective;
    request.bytes = total_of(size);
    request.root = options.root;
    request.counts = spread;
    request.neighborhood = neighborhood;
    request.given = given;
    request.fresh = options.fresh;
    request.check = !options.unchecked;
    request.budget_seconds = options.seconds;
    for (const std::string& algorithm : algorithms_to_run(team, options, collective, case_of(size))) {
      request.algorithm = algorithm;
      const bench::CollectiveRow row = bench::measure(team, request);
      const bench::Summary& s = row.summary;
      report.line(
          "{:<12}{:>18.3f}{:>18.3f}{:>18.3f}{:>12.3f}{:>12.3f}{:>12}  {}", size, s.average * 1e6, s.minimum * 1e6,
          s.maximum * 1e6, s.median * 1e6, s.p99 * 1e6, s.iterations,
          row.bytes_run == request.bytes ? row.algorithm : fmt::format("{}, {} bytes", row.algorithm, row.bytes_run));
      report.row({{"collective", options.what},
                  {"algorithm", row.algorithm},
                  {"ranks", team.size()},
                  {"nodes", team.layout().nodes()},
                  {"bytes", request.bytes},
                  {"bytes_run", row.bytes_run},
                  {"iterations", s.iterations},
                  {"average_us", s.average * 1e6},
                  {"minimum_us", s.minimum * 1e6},
                  {"maximum_us", s.maximum * 1e6},
                  {"median_us", s.median * 1e6},
                  {"p99_us", s.p99 * 1e6},
                  {"fresh", options.fresh},
                  {"checked", !options.unchecked}});
      if (counts.given()) report.last()["counts"] = options.counts;
      if (neighborhood) report.last()["neighbors"] = options.neighbors;
      if (options.table.empty() || !algorithm.empty()) continue;
      report.last()["by_table"] = row.by_table;
      if (!row.by_table)
        tell_what_no_rule_chose(team, options, collective == Collective::barrier ? "" : " " + size_name(options, size));
    }
  }
}

void run_pair(Team& team, const BenchOptions& options, bench::Pattern pattern, Report& report) {
  const bool latency = pattern == bench::Pattern::latency;
  if (team.size() < 2) throw InputError(options.what + ": expected at least two ranks, as by tutti launch -n 2");
  const std::vector<std::int64_t> sizes = sizes_of(options, "1:4M");
  const bench::Room room(team);
  for (const std::int64_t size : sizes)
    room.expect_bytes(size_name(options, size), bench::pair_buffer_bytes(pattern, size));
  report.heading("# Tutti {} Test v" TUTTI_VERSION, latency                                ? "Latency"
                                                    : pattern == bench::Pattern::bandwidth ? "Bandwidth"
                                                                                           : "Bidirectional Bandwidth");
  report.heading("# ranks 0 and 1, over {}", team.transport_to(1 - std::min(team.rank(), 1)));
  report.heading("{:<12}{:>20}{:>18}{:>18}{:>12}", "# Size", latency ? "Median Latency (us)" : "Bandwidth (MB/s)",
                 "Average (us)", "Minimum (us)", "Iterations");
  for (const std::int64_t size : sizes) {
    const bench::PairRow row = bench::measure_pair(team, pattern, size, options.seconds);
    const double value = latency ? row.median * 1e6 : row.bytes_per_second(pattern) / 1e6;
    report.line("{:<12}{:>20.3f}{:>18.3f}{:>18.3f}{:>12}", size, value, row.average * 1e6, row.minimum * 1e6,
                row.iterations);
    report.row({{"benchmark", options.what},
                {"bytes", size},
                {"window", row.window},
                {"iterations", row.iterations},
                {"median_us", row.median * 1e6},
                {"average_us", row.average * 1e6},
                {"minimum_us", row.minimum * 1e6},
                {"bytes_per_second", row.bytes_per_second(pattern)}});
  }
}

void run_work(Team& team, const BenchOptions& options, bench::Work work, Report& report) {
  const std::vector<std::int64_t> sizes = sizes_of(options, "1K:16M");
  const bench::Room room(team);
  for (const std::int64_t size : sizes) {
    if (size < 4 || size % 4 != 0)  // what is left over would be counted and not touched
      throw InputError(size_name(options, size) + ": expected a multiple of 4 bytes, at least 4, for " + options.what);
    room.expect_bytes(size_name(options, size), 2 * static_cast<double>(size));
  }
  report.heading("# Tutti {} on {} ranks at once", work == bench::Work::copy ? "Copy" : "Reduction", team.size());
  report.heading("{:<12}{:>18}{:>18}{:>12}", "# Size", "Median (us)", "GB/s", "Iterations");
  for (const std::int64_t size : sizes) {
    const bench::Summary s = bench::measure_work(team, work, size, options.seconds);
    report.line("{:<12}{:>18.3f}{:>18.3f}{:>12}", size, s.median * 1e6, static_cast<double>(size) / s.median / 1e9,
                s.iterations);
    report.row({{"benchmark", options.what},
                {"bytes", size},
                {"iterations", s.iterations},
                {"median_us", s.median * 1e6},
                {"bytes_per_second", static_cast<double>(size) / s.median}});
  }
}

void run_bench(const BenchOptions& options) {
  if (!(options.seconds > 0 && options.seconds <= 3600))
    throw InputError("--seconds: expected more than 0, at most 3600");
  TeamOptions team_options;
  team_options.table = options.table;
  team_options.transports = options.transports;
  Team team = Team::from_environment(team_options);
  if (options.what == "plan") {
    PlanOptions plan = options.plan;
    plan.has_table = !options.table.empty();
    return run_plan(team, plan);
  }
  Report report(team, options);
  if (options.what == "latency")
    run_pair(team, options, bench::Pattern::latency, report);
  else if (options.what == "bandwidth")
    run_pair(team, options, bench::Pattern::bandwidth, report);
  else if (options.what == "bibw")
    run_pair(team, options, bench::Pattern::bidirectional, report);
  else if (options.what == "copy")
    run_work(team, options, bench::Work::copy, report);
  else if (options.what == "reduction")
    run_work(team, options, bench::Work::reduction, report);
  else
    run_collective(team, options, report);
  report.end();
}

/// Throws InputError where an option is given that what is measured does not go by.
void expect_used(const CLI::App& verb, const std::string& what) {
  using Names = std::vector<const char*>;
  const bool is_plan = what == "plan";
  const bool is_pair_or_work =
      what == "latency" || what == "bandwidth" || what == "bibw" || what == "copy" || what == "reduction";
  const Names of_plans{"--plan", "--repetitions", "--first", "--within"},
      of_collectives{"--algorithm", "--counts", "--neighbors", "--root", "--fresh", "--unchecked"},
      of_sizes{"--bytes", "--osu-sizes"};
  const auto refuse = [&](const Names& names) {
    for (const char* const name : names)
      if (verb.count(name) > 0) throw InputError(fmt::format("{}: bench {} does not go by it", name, what));
  };
  if (!is_plan) refuse(of_plans);
  if (is_plan || is_pair_or_work) refuse(of_collectives);
  if (is_pair_or_work) refuse({"--table"});
  if (is_plan || what == "barrier") refuse(of_sizes);
  if (is_plan) refuse({"--seconds", "--json"});
  if (is_plan && verb.count("--plan") == 0) throw InputError("bench plan: expected --plan FILE");
}

/// Throws InputError where a list or a name is given that is empty: it would mean the same as no option.
void expect_said(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& said : option->results())
      if (said.empty()) throw InputError(option->get_name() + ": expected a value, found nothing");
}

}  // namespace

void add_bench(CLI::App& app, int&) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand("bench", "Measure for real: collectives, point to point, copies and reductions");
  verb->footer(
      "Example: tutti launch -n 4 -- tutti bench allreduce --algorithm ring,recursive_doubling --bytes 8:1M\n"
      "Every rank runs it: under tutti launch, mpirun or srun. `tutti calibrate --osu` reads latency and bandwidth.");
  verb->add_option("what", options->what, "a collective, or latency, bandwidth, bibw, copy, reduction, plan")
      ->required();
  verb->add_option("--algorithm", options->algorithms,
                   "names with parameters, default:LIBRARY, or all; default: as the team chooses");
  verb->add_option("--bytes", options->bytes, "total sizes (docs/formats.md)");
  verb->add_option("--osu-sizes", options->osu_sizes, "sizes as OSU prints them");
  verb->add_option("--counts", options->counts,
                   "of reduce_scatter and collectives that end in v: zipf:EXPONENT[:SEED], random[:SEED], one[:RANK], "
                   "or as in a file, at its own size where none is asked for");
  verb->add_option("--neighbors", options->neighbors,
                   "of neighbor_…: a grid as 4x4x2, 4x4:open or 4x4:box, random:DEGREE[:SEED], or a file of edges");
  verb->add_option("--table", options->table, "a selection table that chooses, where it has a rule for these ranks");
  verb->add_option("--transports", options->transports, "these alone, in this order");
  verb->add_option("--root", options->root, "of bcast, reduce, gather, scatter")->capture_default_str();
  verb->add_option("--seconds", options->seconds, "for each size and algorithm")->capture_default_str();
  verb->add_flag("--fresh", options->fresh, "every repetition on other memory");
  verb->add_flag("--unchecked", options->unchecked, "do not compare results");
  verb->add_option("--plan", options->plan.file, "plan: what to compare, COLLECTIVE RANKS BYTES ARM a line");
  verb->add_option("--repetitions", options->plan.repetitions, "plan: of each cell's arms in turn")
      ->capture_default_str();
  verb->add_option("--first", options->plan.first, "plan: so many of all arms, then of those near the best")
      ->capture_default_str();
  verb->add_option("--within", options->plan.within, "plan: near is within so many times the best")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "for machines");
  verb->callback([options, verb] {
    expect_used(*verb, options->what);
    expect_said(*verb);
    run_bench(*options);
  });
}

}  // namespace tutti::cli
