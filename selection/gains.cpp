#include "selection/gains.hpp"

#include <cmath>

#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/simulations.hpp"

namespace tutti {

std::int64_t add_gains(Table& table, const GainsRequest& request) {
  std::vector<const Baseline*> baselines;
  for (const std::string& name : request.baselines) baselines.push_back(&find_baseline(name));
  Simulations simulations(*request.machine, parse_mode(table.mode), table.placement, nullptr);
  std::int64_t left_out = 0;
  for (Cell& cell : table.cells) {
    const Place& place = cell.place;
    const Case c = case_for(place, cell.bytes);
    for (const Baseline* baseline : baselines) {
      const Choice choice = pick(*baseline, c, place.nodes).choice;
      // What was inferred has the most that it can take: too much to say what is gained over it.
      const auto known = cell.seconds.find(choice.text());
      if (known != cell.seconds.end() && !cell.inferred.contains(choice.text())) {
        cell.default_seconds[baseline->name] = known->second;
        continue;
      }
      const Query query{place, cell.bytes, choice};
      if (simulations.messages(query) > request.most_messages) {
        ++left_out;
        continue;
      }
      const double seconds = simulations.seconds(table.engine, query);
      if (seconds != kRefused)
        cell.default_seconds[baseline->name] = seconds;
      else
        ++left_out;
    }
  }
  derive_rules(table);
  return left_out;
}

std::map<std::string, RulesGain> gains_of_rules(const Table& table) {
  std::map<std::string, RulesGain> gains;
  for (const Cell& cell : table.cells) {
    const Rule* rule = look_up(table, cell.place, cell.bytes);
    if (!rule) continue;
    const double mine = cell.seconds.at(rule->algorithm);
    for (const auto& [library, seconds] : cell.default_seconds) {
      if (seconds <= 0 || mine <= 0) continue;  // a machine without overheads: no ratio
      gains[library].times_as_fast += std::log(seconds / mine);
      ++gains[library].cells;
    }
  }
  for (auto& [library, gain] : gains)
    gain.times_as_fast = gain.cells == 0 ? 1 : std::exp((gain.times_as_fast - 1) / static_cast<double>(gain.cells));
  return gains;
}

}  // namespace tutti
