#include "selection/gains.hpp"

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

}  // namespace tutti
