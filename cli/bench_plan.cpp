#include "cli/bench_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "algos/named_choice.hpp"
#include "algos/what_runs.hpp"
#include "base/csv_field.hpp"
#include "base/error.hpp"
#include "cli/plan_file.hpp"
#include "runtime/bench/buffers.hpp"
#include "runtime/bench/compare.hpp"
#include "runtime/bench/room.hpp"
#include "selection/baselines.hpp"

namespace tutti::cli {
namespace {

/// The algorithm that really runs; empty where none can.
std::string algorithm_of(Team& team, const Case& c, const std::string& arm) {
  if (arm == kTableArm)
    return bench::on_elements_of(c.collective, [&](auto element) {
      bench::Buffers<decltype(element)> buffers(c, team.rank());
      return team.algorithm_of(buffers.call(c, ""));
    });
  const Choice resolved = resolve(choice_asked_for(arm, c, team.layout().on_nodes()), c);
  const bool runs =
      !absent_level(resolved, TeamLayout::levels()) && why_not(resolved, c, team.layout().places()).empty();
  return runs ? resolved.text() : "";
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
    say("ran", csv_field(arm) + "," + csv_field(algorithm));
    auto& algorithms = comparison.algorithms;
    if (algorithm.empty()) continue;
    const bool is_name = arm != kTableArm && !arm.starts_with(kDefaultArm);
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
      say("time",
          fmt::format("{},{},{:.3f}", csv_field(comparison.algorithms[i]), repetition, seconds[i][repetition] * 1e6));
  std::fflush(stdout);
}

}  // namespace

void run_plan(Team& team, const PlanOptions& options) {
  if (options.first < 1 || options.repetitions < options.first)
    throw InputError("--first: expected at least 1, at most --repetitions");
  if (!(options.within >= 1)) throw InputError("--within: expected at least 1");
  const std::vector<PlannedCell> plan = read_plan(options.file, team.size());
  for (const PlannedCell& cell : plan)
    if (!options.has_table && std::find(cell.arms.begin(), cell.arms.end(), kTableArm) != cell.arms.end())
      throw InputError(
          fmt::format("{}:{}: {}: expected --table, which the arm is of", options.file, cell.line, kTableArm));
  const bench::Room room(team);
  for (const PlannedCell& cell : plan)
    room.expect_calls(fmt::format("{}:{}", options.file, cell.line),
                      bench::case_of(cell.collective, team.size(), cell.bytes, 0));
  for (const PlannedCell& cell : plan) run_cell(team, cell, options);
}

}  // namespace tutti::cli
