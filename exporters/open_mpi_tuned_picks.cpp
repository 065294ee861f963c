#include "exporters/open_mpi_tuned_picks.hpp"

#include "selection/own_parts.hpp"
#include "tables/table.hpp"

namespace tutti {
namespace {

const Baseline& built_in() { return find_baseline("open-mpi-5.0-without-han"); }

}  // namespace

Choice tuned_pick(const Case& c, Explanation* why) {
  return pick_with_own_parts(built_in(), c, evenly(1, c.ranks), why).choice;
}

std::set<std::int64_t> tuned_thresholds(Collective collective, int ranks) {
  std::set<std::int64_t> all{0};
  const Baseline::Rules& rules = built_in().collectives.at(collective);
  for (const Baseline::Rule& rule : rules.rules)
    for (const Baseline::Rule::Step& step : rule.steps)
      if (step.below_bytes < Rule::kUnlimited / ranks) all.insert(step.below_bytes * (rules.by_block ? ranks : 1));
  return all;
}

}  // namespace tutti
