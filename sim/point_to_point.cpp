#include "sim/point_to_point.hpp"

#include <algorithm>
#include <set>

namespace tutti {
namespace {

Result simulated(const Engine& engine, const Machine& machine, std::pair<int, int> cores, Collective collective,
                 const char* algorithm, std::int64_t bytes) {
  Experiment experiment;
  // In place, so that nothing but the messages takes time.
  experiment.c = {.collective = collective, .ranks = 2, .count = bytes, .in_place = true};
  experiment.choice = parse_choice(collective, algorithm);
  experiment.core_of_rank = {cores.first, cores.second};
  return engine.run(machine, {&experiment, 1}).front();
}

}  // namespace

int hops_between(const Network& network, int from_core, int to_core) {
  std::vector<LinkId> route;
  network.route(from_core, to_core, route);
  return static_cast<int>(std::count_if(route.begin(), route.end(),
                                        [&](LinkId id) { return !network.links()[id].level.is_inside_node(); }));
}

std::vector<int> hops_of(const Network& network) {
  std::set<int> hops;
  for (int node = 1; node < network.nodes(); ++node)
    hops.insert(hops_between(network, 0, node * network.cores_per_node()));
  return {hops.begin(), hops.end()};
}

std::optional<std::pair<int, int>> pair_at(const Network& network, Distance distance, std::optional<int> hops) {
  if (distance != Distance::network) {
    for (int core = 1; core < network.cores_per_node(); ++core)
      if (network.distance(0, core) == distance) return std::pair{0, core};
    return std::nullopt;
  }
  std::optional<std::pair<int, int>> nearest;
  int fewest = 0;
  for (int node = 1; node < network.nodes(); ++node) {
    const int core = node * network.cores_per_node(), here = hops_between(network, 0, core);
    if (hops ? here != *hops : nearest && here >= fewest) continue;
    nearest = std::pair{0, core};
    fewest = here;
    if (hops) break;
  }
  return nearest;
}

double one_way_seconds(const Engine& engine, const Machine& machine, std::pair<int, int> cores, std::int64_t bytes) {
  return simulated(engine, machine, cores, Collective::bcast, "linear", bytes).seconds_per_rank[1];
}

double exchange_seconds(const Engine& engine, const Machine& machine, std::pair<int, int> cores, std::int64_t bytes) {
  return simulated(engine, machine, cores, Collective::allgather, "two_proc", bytes).makespan_seconds;
}

std::optional<double> simulated(const Engine& engine, const Machine& machine, const Published& figure) {
  const auto cores = pair_at(*machine.network, figure.distance, figure.hops);
  if (!cores) return std::nullopt;
  const auto bytes = static_cast<double>(figure.bytes);
  switch (figure.what) {
    case Published::What::latency:
      return one_way_seconds(engine, machine, *cores, figure.bytes);
    case Published::What::bandwidth:
      return bytes / one_way_seconds(engine, machine, *cores, figure.bytes);
    case Published::What::exchange_bandwidth:
      return 2 * bytes / exchange_seconds(engine, machine, *cores, figure.bytes);
  }
  return std::nullopt;
}

}  // namespace tutti
