#pragma once
// What every fabric must hold: its routes are loop-free paths along existing cables.

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "topologies/fabric.hpp"
#include "topologies/network.hpp"

namespace tutti::test {

using SwitchGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

/// The cables between the switches that `keep` keeps.
inline SwitchGraph graph_of(
    const Fabric& fabric, const std::function<bool(int)>& keep = [](int) { return true; }) {
  SwitchGraph graph(fabric.switches());
  for (const Cable& cable : fabric.cables())
    if (keep(cable.from_switch) && keep(cable.to_switch)) add_edge(cable.from_switch, cable.to_switch, graph);
  return graph;
}

constexpr Channel cable{1e9, 1e-7};

constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max();

inline std::vector<std::size_t> hops_from(const SwitchGraph& graph, int source) {
  std::vector<std::size_t> hops(num_vertices(graph), unreached);
  hops[source] = 0;
  boost::breadth_first_search(
      graph, source,
      boost::visitor(boost::make_bfs_visitor(boost::record_distances(hops.data(), boost::on_tree_edge()))));
  return hops;
}

/// Least number of hops that stay in the groups of the two switches, which are runs of `of_group` switches.
inline std::size_t hops_in_groups(const Fabric& fabric, int of_group, int from, int to) {
  const auto keep = [&](int at) { return at / of_group == from / of_group || at / of_group == to / of_group; };
  return hops_from(graph_of(fabric, keep), from)[to];
}

/// The route between the switches of two nodes, after checking that it is a loop-free path along cables.
inline std::vector<LinkId> checked_route(const Fabric& fabric, int from, int to, std::int64_t destination) {
  std::vector<LinkId> route;
  fabric.route(from, to, destination, route);
  int at = fabric.switch_of(from);
  std::set<int> seen{at};
  for (const LinkId link : route) {
    EXPECT_LT(link, fabric.cables().size());
    EXPECT_EQ(fabric.cables()[link].from_switch, at) << "route " << from << " to " << to << " jumps";
    at = fabric.cables()[link].to_switch;
    EXPECT_TRUE(seen.insert(at).second) << "route " << from << " to " << to << " loops";
  }
  EXPECT_EQ(at, fabric.switch_of(to)) << "route " << from << " to " << to << " ends elsewhere";
  return route;
}

/// All pairs: paths along cables, and shortest ones.
inline void expect_shortest_paths(const Fabric& fabric) {
  const SwitchGraph graph = graph_of(fabric);
  for (int from = 0; from < fabric.nodes(); ++from) {
    const std::vector<std::size_t> hops = hops_from(graph, fabric.switch_of(from));
    for (int to = 0; to < fabric.nodes(); ++to)
      EXPECT_EQ(checked_route(fabric, from, to, to).size(), hops[fabric.switch_of(to)]) << from << " to " << to;
  }
}

/// No cycle in which links wait for each other (Dally and Seitz 1987), over the routes of all pairs.
inline void expect_no_deadlock(const Fabric& fabric) {
  SwitchGraph waits(fabric.links().size());
  for (int from = 0; from < fabric.nodes(); ++from)
    for (int to = 0; to < fabric.nodes(); ++to) {
      std::vector<LinkId> route;
      fabric.route(from, to, to, route);
      for (std::size_t i = 1; i < route.size(); ++i) add_edge(route[i - 1], route[i], waits);
    }
  std::vector<std::size_t> order;
  EXPECT_NO_THROW(boost::topological_sort(waits, std::back_inserter(order)));
}

/// How many of the given flows pass each link of the fabric.
inline std::vector<int> load_of(const Fabric& fabric, const std::vector<std::pair<int, int>>& flows) {
  std::vector<int> load(fabric.links().size());
  for (const auto& [from, to] : flows)
    for (const LinkId link : checked_route(fabric, from, to, to)) ++load[link];
  return load;
}

/// A node of one core with a NIC of the given bandwidth and no latency.
inline NodeShape plain_node(double bandwidth = 1e9, double latency = 0) {
  NodeShape node;
  node.nics.push_back({0, {bandwidth, latency}, std::nullopt});
  return node;
}

/// 2 sockets x 2 domains x 2 caches x 3 cores, NICs in domains 1 and 3.
inline NodeShape numa_node() {
  NodeShape node;
  node.sockets = node.domains_per_socket = node.caches_per_domain = 2;
  node.cores_per_cache = 3;
  node.core = Channel{10e9, 0};
  node.memory = Channel{40e9, 0};
  node.domain_link = Channel{30e9, 50e-9};
  node.socket_link = Channel{20e9, 100e-9};
  node.nics = {{1, {12e9, 500e-9}, std::nullopt}, {3, {12e9, 500e-9}, std::nullopt}};
  return node;
}

inline std::vector<std::string> levels_of(const Network& network, int from, int to) {
  std::vector<LinkId> route;
  network.route(from, to, route);
  std::vector<std::string> levels;
  for (const LinkId link : route) levels.push_back(network.links()[link].level.label());
  return levels;
}

}  // namespace tutti::test
