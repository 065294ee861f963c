#include "cli/bench_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "algos/error.hpp"
#include "runtime/bench/buffers.hpp"
#include "runtime/bench/compare.hpp"
#include "selection/baselines.hpp"

namespace tutti::cli {
namespace {

constexpr std::string_view kTable = "table", kDefault = "default:";

/// What is compared at one size: by name, "ring:segment=8192", "table" (what the team chooses) or "default:mpich".
struct PlannedCell {
  Collective collective = Collective::barrier;
  std::int64_t bytes = 0;
  std::vector<std::string> arms;
};

/// Those for `ranks` ranks.
std::vector<PlannedCell> read_plan(const std::string& path, int ranks) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot be read: expected a plan");
  std::vector<PlannedCell> plan;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string collective, arm, more;
    int of_ranks = 0;
    std::int64_t bytes = 0;
    if (!(words >> collective)) continue;
    if (!(words >> of_ranks >> bytes >> arm) || words >> more || of_ranks < 1 || bytes < 0)
      throw InputError(fmt::format("{}:{}: expected COLLECTIVE RANKS BYTES ARM", path, number));
    if (of_ranks != ranks) continue;
    try {
      const Collective named = collective_named(collective);
      if (arm.starts_with(kDefault))
        find_baseline(arm.substr(kDefault.size()));
      else if (arm != kTable)
        parse_choice(named, arm);
      if (plan.empty() || plan.back().collective != named || plan.back().bytes != bytes)
        plan.push_back({named, bytes, {}});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
    plan.back().arms.push_back(arm);
  }
  return plan;
}

/// The algorithm that really runs; empty where none can.
std::string algorithm_of(Team& team, const Case& c, const std::string& arm) {
  if (arm == kTable)
    return bench::on_elements_of(c.collective, [&](auto element) {
      bench::Buffers<decltype(element)> buffers(c, team.rank());
      return team.algorithm_of(buffers.call(c, ""));
    });
  const Choice choice = arm.starts_with(kDefault)
                            ? pick(find_baseline(arm.substr(kDefault.size())), c, team.layout().nodes()).choice
                            : parse_choice(c.collective, arm);
  const Choice resolved = resolve(choice, c);
  return why_not(resolved, c).empty() ? resolved.text() : "";
}

void run_cell(Team& team, const PlannedCell& cell, const PlanOptions& options) {
  const Case c = bench::case_of(cell.collective, team.size(), cell.bytes, 0);
  bench::Comparison comparison{cell.collective, cell.bytes, {}, 0, options.first, options.within, options.repetitions};
  const auto say = [&](const std::string& what, const std::string& rest) {
    if (team.rank() == 0) fmt::print("{},{},{},{},{}\n", what, name_of(cell.collective), team.size(), cell.bytes, rest);
  };
  // Who is asked for by a name that is no algorithm's is repeated to the end.
  std::vector<std::string> named;
  for (const std::string& arm : cell.arms) {
    const std::string algorithm = algorithm_of(team, c, arm);
    say("ran", arm + "," + algorithm);
    auto& algorithms = comparison.algorithms;
    if (algorithm.empty()) continue;
    const bool is_name = arm != kTable && !arm.starts_with(kDefault);
    if (is_name) {
      named.push_back(algorithm);
    } else if (std::find(algorithms.begin(), algorithms.end(), algorithm) == algorithms.end()) {
      algorithms.push_back(algorithm);
    }
  }
  comparison.kept = comparison.algorithms.size();
  for (const std::string& algorithm : named)
    if (std::find(comparison.algorithms.begin(), comparison.algorithms.end(), algorithm) == comparison.algorithms.end())
      comparison.algorithms.push_back(algorithm);
  const auto seconds = bench::compare(team, comparison);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    for (std::size_t repetition = 0; repetition < seconds[i].size(); ++repetition)
      say("time", fmt::format("{},{},{:.3f}", comparison.algorithms[i], repetition, seconds[i][repetition] * 1e6));
  std::fflush(stdout);
}

}  // namespace

void run_plan(Team& team, const PlanOptions& options) {
  if (options.first < 1 || options.repetitions < options.first)
    throw InputError("--first: expected at least 1, at most --repetitions");
  if (!(options.within >= 1)) throw InputError("--within: expected at least 1");
  for (const PlannedCell& cell : read_plan(options.file, team.size())) run_cell(team, cell, options);
}

}  // namespace tutti::cli
