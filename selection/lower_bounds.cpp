#include "selection/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "selection/candidates.hpp"
#include "selection/rank_work.hpp"
#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

/// What `count` such channels carry together.
double together(const std::optional<Channel>& channel, int count) {
  if (!channel) return 0;
  return channel->shared ? channel->bandwidth_bytes_per_second * count : INFINITY;
}

/// All that a node can move at a time, of messages of which each passes at least one of these channels.
double node_bytes_per_second(const NodeShape& shape, int ppn, bool several_nodes) {
  double adapters = 0;
  if (several_nodes)
    for (const Nic& nic : shape.nics) adapters += together(nic.cable, 1);
  if (ppn == 1) return adapters;  // messages leave the node
  const int domains = shape.sockets * shape.domains_per_socket;
  // Every message passes the memory, but for those inside a cache group; where there is none, cores or adapters.
  if (shape.memory) return together(shape.memory, domains) + together(shape.cache, domains * shape.caches_per_domain);
  if (shape.core && !shape.cache) return together(shape.core, ppn) + adapters;
  return INFINITY;
}

}  // namespace

std::vector<Distance> distances_between(const Network& network, std::span<const int> cores) {
  std::set<Distance> distances;
  std::vector<int> first_node;
  for (const int core : cores)
    if (network.node_of(core) == network.node_of(cores.front()))
      first_node.push_back(core);
    else
      distances.insert(Distance::network);
  for (const int a : first_node)
    for (const int b : first_node)
      if (a != b) distances.insert(network.distance(a, b));
  return {distances.begin(), distances.end()};
}

LowerBounds::LowerBounds(const Machine& machine, Mode mode, std::span<const int> cores, int nodes, int ppn)
    : machine_(machine.for_job(static_cast<int>(cores.size()))), mode_(mode) {
  std::map<int, std::vector<int>> by_node;
  places_ = places_of(*machine.network, cores);
  for (const int core : cores) by_node[machine.network->node_of(core)].push_back(core);
  for (auto& [node, here] : by_node) cores_of_node_.push_back(std::move(here));
  bool first = true;
  for (const Distance distance : distances_between(*machine.network, cores)) {
    const Transport& cost = machine_.transport(distance);
    double latency = INFINITY;
    for (const Segment& segment : cost.segments) latency = std::min(latency, segment.latency_seconds);
    const auto least = [&](double& so_far, double here) { so_far = first ? here : std::min(so_far, here); };
    least(send_overhead_, cost.send_overhead_seconds);
    least(receive_overhead_, cost.receive_overhead_seconds);
    least(gap_, cost.gap_seconds);
    least(latency_, latency);
    first = false;
  }
  bytes_per_second_ = nodes * node_bytes_per_second(machine.network->node_shape(), ppn, nodes > 1);
}

double LowerBounds::seconds(const Choice& real, const Case& c) {
  if (mode_.kind != Mode::Kind::isolated && mode_.kind != Mode::Kind::back_to_back) return 0;
  const std::optional<Counts> counts = c.ranks < 2 ? std::nullopt : declared(real, c, places_);
  if (!counts || counts->messages == 0) return 0;
  const double rounds = std::max(1.0, counts->rounds);
  const double by_rounds = (rounds - 1) * std::min(std::max(send_overhead_, gap_), receive_overhead_) + send_overhead_ +
                           latency_ + receive_overhead_;
  const double by_messages = counts->messages / c.ranks * (send_overhead_ + receive_overhead_);
  const double bytes = counts->bytes;
  double by_exchange = 0, by_work = 0;
  if (counts->messages >= static_cast<double>(c.ranks) * (c.ranks - 1)) {
    if (!exchange_seconds_per_byte_) exchange_seconds_per_byte_ = busiest_link_seconds_per_byte();
    const RankWork work = work_of_middle_rank(real, c, machine_.compute);
    by_exchange = *exchange_seconds_per_byte_ * static_cast<double>(work.bytes_to_each);
    by_work = work.local_seconds;
  }
  return std::max({mode_.kind == Mode::Kind::isolated ? by_rounds : 0, by_messages, bytes / bytes_per_second_,
                   by_exchange, by_work});
}

/// Of an exchange of one byte between all pairs.
double LowerBounds::busiest_link_seconds_per_byte() const {
  const auto links = machine_.network->links();
  std::vector<double> load(links.size());
  add_node_loads(load);
  add_fabric_loads(load);
  double seconds = 0;
  for (std::size_t id = 0; id < links.size(); ++id)
    if (links[id].shared) seconds = std::max(seconds, load[id] / links[id].bandwidth_bytes_per_second);
  return seconds;
}

/// Those of the first node's links, which stand for all nodes'.
void LowerBounds::add_node_loads(std::vector<double>& load) const {
  const Network& network = *machine_.network;
  const std::size_t fabric_links = network.fabric().links().size();
  const std::vector<int>& here = cores_of_node_.front();
  std::vector<LinkId> route;
  const auto add = [&](int from, int to, double bytes) {
    network.route(from, to, route);
    for (const LinkId id : route)
      if (id >= fabric_links) load[id] += bytes;
  };
  for (const int from : here)
    for (const int to : here)
      if (from != to) add(from, to, 1);
  if (cores_of_node_.size() == 1) return;
  // Inside a node, the way to and from the others is the same whoever they are.
  double elsewhere = 0;
  for (std::size_t node = 1; node < cores_of_node_.size(); ++node)
    elsewhere += static_cast<double>(cores_of_node_[node].size());
  const int other = cores_of_node_[1].front();
  const std::size_t links_per_node =
      (network.links().size() - fabric_links) / static_cast<std::size_t>(network.nodes());
  const std::size_t begin = fabric_links + static_cast<std::size_t>(network.node_of(here.front())) * links_per_node;
  std::vector<double> there(load.begin(), load.end());
  for (const int core : here) {
    add(core, other, elsewhere);
    add(other, core, elsewhere);
  }
  for (std::size_t id = fabric_links; id < load.size(); ++id)  // what was added to the other node is not its load
    if (id < begin || id >= begin + links_per_node) load[id] = there[id];
}

/// Between switches, the way follows from the receiver's adapter: one receiver stands for those that share it.
void LowerBounds::add_fabric_loads(std::vector<double>& load) const {
  const Network& network = *machine_.network;
  const std::size_t fabric_links = network.fabric().links().size();
  std::vector<LinkId> route;
  for (const auto& senders : cores_of_node_)
    for (const auto& receivers : cores_of_node_) {
      if (&senders == &receivers) continue;
      std::map<LinkId, std::pair<int, double>> by_adapter;
      const bool one_adapter = network.node_shape().nics.size() == 1;
      if (one_adapter) by_adapter[0] = {receivers.front(), static_cast<double>(receivers.size())};
      for (const int receiver : one_adapter ? std::vector<int>() : receivers) {
        network.route(senders.front(), receiver, route);
        const auto adapter = std::find_if(route.begin(), route.end(), [&](LinkId id) {
          return network.links()[id].level == LinkLevel::Kind::nic_in;
        });
        auto& [representative, count] = by_adapter[adapter == route.end() ? 0 : *adapter];
        representative = receiver;
        ++count;
      }
      for (const auto& [adapter, receivers_there] : by_adapter) {
        network.route(senders.front(), receivers_there.first, route);
        for (const LinkId id : route)
          if (id < fabric_links) load[id] += static_cast<double>(senders.size()) * receivers_there.second;
      }
    }
}

}  // namespace tutti
