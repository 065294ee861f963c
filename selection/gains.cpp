#include "selection/gains.hpp"

#include "selection/baselines.hpp"
#include "selection/tune.hpp"

namespace tutti {

std::int64_t add_gains(Table& table, const GainsRequest& request) {
  std::vector<const Baseline*> baselines;
  for (const std::string& name : request.baselines) baselines.push_back(&find_baseline(name));
  const auto engine = make_engine(table.engine);
  const Mode mode = parse_mode(table.mode);
  std::int64_t left_out = 0;
  for (Cell& cell : table.cells) {
    const Place& place = cell.place;
    Case c{.collective = place.collective,
           .ranks = place.ranks(),
           .element_bytes = default_element_bytes(place.collective)};
    c.count = count_for_total_bytes(c.collective, c.ranks, c.element_bytes, cell.bytes);
    for (const Baseline* baseline : baselines) {
      const Choice choice = pick(*baseline, c, place.nodes).choice;
      if (const auto known = cell.seconds.find(choice.text()); known != cell.seconds.end()) {
        cell.default_seconds[baseline->name] = known->second;
        continue;
      }
      const Choice real = resolve(choice, c);
      if (!real.algorithm->is_by_node() &&
          real.algorithm->messages()(Facts(c, real.parameters)) > request.most_messages) {
        ++left_out;
        continue;
      }
      const Experiment experiment{
          c, choice, place_ranks(*request.machine->network, place.nodes, place.ppn, table.placement), mode, 1, false};
      const Result result = engine->run(*request.machine, {&experiment, 1}).front();
      if (result.refused.empty())
        cell.default_seconds[baseline->name] = result.makespan_seconds;
      else
        ++left_out;
    }
  }
  derive_rules(table);
  return left_out;
}

}  // namespace tutti
