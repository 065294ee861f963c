#include "topologies/network.hpp"

#include <map>

#include "base/error.hpp"
#include "tests/topologies/check.hpp"
#include "topologies/cable_graph.hpp"
#include "topologies/fat_tree.hpp"
#include "topologies/node_routes.hpp"

namespace tutti {
namespace {

using namespace test;
using Levels = std::vector<std::string>;

std::unique_ptr<const Fabric> crossbar(int nodes) {
  return std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = nodes, .layers = {}});
}

TEST(Network, ANodeWithoutInsideGivesExactlyTheNetworkLinks) {
  const Network network(
      plain_node(), std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 2, .layers = {{2, 1, 1, {1e9, 1e-7}}}}));
  EXPECT_EQ(levels_of(network, 0, 1), (Levels{"nic-out", "nic-in"}));
  EXPECT_EQ(levels_of(network, 0, 3), (Levels{"nic-out", "leaf-up", "leaf-down", "nic-in"}));
  EXPECT_EQ(levels_of(network, 2, 2), Levels{});
}

TEST(Network, CopiesPassTheChannelsBetweenTheCores) {
  const Network network(numa_node(), crossbar(2));
  EXPECT_EQ(network.cores_per_node(), 24);
  EXPECT_EQ(levels_of(network, 0, 0), (Levels{"core-out", "memory", "core-in"}));
  EXPECT_EQ(levels_of(network, 0, 5), (Levels{"core-out", "memory", "core-in"}));
  EXPECT_EQ(levels_of(network, 0, 6), (Levels{"core-out", "memory", "domain-out", "domain-in", "memory", "core-in"}));
  EXPECT_EQ(levels_of(network, 0, 23),
            (Levels{"core-out", "memory", "domain-out", "socket", "domain-in", "memory", "core-in"}));
}

TEST(Network, MessagesBetweenNodesPassTheNearestNicAndNoCore) {
  const Network network(numa_node(), crossbar(2));
  EXPECT_EQ(levels_of(network, 6, 24 + 18), (Levels{"memory", "nic-out", "nic-in", "memory"}));
  EXPECT_EQ(levels_of(network, 0, 24 + 12),
            (Levels{"memory", "domain-out", "domain-in", "nic-out", "nic-in", "domain-out", "domain-in", "memory"}));
}

TEST(Network, DistanceIsTheClosestThingShared) {
  const Network network(numa_node(), crossbar(2));
  EXPECT_EQ(network.distance(4, 4), Distance::self);
  EXPECT_EQ(network.distance(3, 5), Distance::cache);
  EXPECT_EQ(network.distance(2, 3), Distance::numa);
  EXPECT_EQ(network.distance(5, 6), Distance::socket);
  EXPECT_EQ(network.distance(11, 12), Distance::node);
  EXPECT_EQ(network.distance(23, 24), Distance::network);
  EXPECT_EQ(network.distance(27, 29), Distance::cache);
  EXPECT_STREQ(to_string(Distance::numa), "numa");
}

std::set<LinkId> links_on(const Network& network, int from, int to) {
  std::vector<LinkId> route;
  network.route(from, to, route);
  std::set<LinkId> links(route.begin(), route.end());
  EXPECT_EQ(links.size(), route.size()) << "a link twice";
  return links;
}

std::string shared_levels(const Network& network, std::pair<int, int> a, std::pair<int, int> b) {
  std::string levels;
  const std::set<LinkId> first = links_on(network, a.first, a.second);
  for (const LinkId link : links_on(network, b.first, b.second))
    if (first.contains(link)) levels += network.links()[link].level.label() + " ";
  return levels;
}

TEST(Network, TwoCopiesInOneDomainShareItsMemoryAndTwoDomainsShareNothing) {
  const Network network(numa_node(), crossbar(2));
  EXPECT_EQ(shared_levels(network, {0, 1}, {2, 3}), "memory ");
  EXPECT_EQ(shared_levels(network, {0, 1}, {6, 7}), "");
  EXPECT_EQ(shared_levels(network, {0, 1}, {24, 25}), "");
}

TEST(Network, AnIncastSharesTheReceiversLink) {
  const Network network(numa_node(), crossbar(4));
  EXPECT_EQ(shared_levels(network, {24, 6}, {48, 6}), "memory nic-in ");
  EXPECT_EQ(shared_levels(network, {1, 0}, {6, 0}), "core-in memory ");
}

TEST(Network, EachRouteStaysInItsNodes) {
  const Network network(numa_node(), crossbar(3));
  for (int from = 0; from < network.cores(); ++from)
    for (int to = 0; to < network.cores(); ++to)
      for (const LinkId link : links_on(network, from, to)) {
        const std::string name = network.name_of(static_cast<LinkId>(link));
        const std::string of_from = "node/" + std::to_string(network.node_of(from)) + "/";
        const std::string of_to = "node/" + std::to_string(network.node_of(to)) + "/";
        EXPECT_TRUE(name.starts_with(of_from) || name.starts_with(of_to)) << name;
      }
}

TEST(Network, ACacheChannelTakesTheCopiesOfItsGroup) {
  NodeShape node = numa_node();
  node.cache = Channel{100e9, 0};
  const Network network(node, crossbar(1));
  EXPECT_EQ(levels_of(network, 0, 2), (Levels{"core-out", "cache", "core-in"}));
  EXPECT_EQ(levels_of(network, 0, 3), (Levels{"core-out", "memory", "core-in"}));
  EXPECT_EQ(shared_levels(network, {0, 1}, {3, 4}), "");
  EXPECT_EQ(shared_levels(network, {0, 1}, {2, 2}), "cache ");
}

TEST(Network, EquallyNearNicsAreDealtOutInTurn) {
  NodeShape node;
  node.cores_per_cache = 6;
  node.nics.assign(3, {0, {1e9, 0}, std::nullopt});
  const Network network(node, crossbar(2));
  EXPECT_EQ(shared_levels(network, {0, 6}, {3, 9}), "nic-out nic-in ");
  EXPECT_EQ(shared_levels(network, {0, 6}, {1, 7}), "");
  EXPECT_EQ(shared_levels(network, {0, 6}, {2, 9}), "nic-in ");
}

TEST(Network, ANicMayCarryLessBothWaysThanTwiceOneWay) {
  NodeShape node = plain_node(10e9);
  node.nics[0].both_directions_bytes_per_second = 15e9;
  const Network network(node, crossbar(2));
  EXPECT_EQ(levels_of(network, 0, 1), (Levels{"nic-both", "nic-out", "nic-in", "nic-both"}));
  EXPECT_EQ(shared_levels(network, {0, 1}, {1, 0}), "nic-both nic-both ");
  EXPECT_EQ(network.links()[0].bandwidth_bytes_per_second, 15e9);
}

TEST(Network, AdaptersInTurnAreTakenWhereverTheyAre) {
  NodeShape node = numa_node();
  node.nics.assign(2, {0, {1e9, 0}, std::nullopt});
  node.nic_policy = NicPolicy::in_turn;
  const Network network(node, crossbar(2));
  const int next = network.cores_per_node();
  EXPECT_EQ(shared_levels(network, {0, next}, {1, next + 2}).find("nic-out"), std::string::npos);
  EXPECT_NE(shared_levels(network, {0, next}, {2, next + 1}).find("nic-out"), std::string::npos);
}

TEST(Network, ACoreMayHaveLessThanItsAdapterForWhatItSendsAndReceives) {
  NodeShape node = plain_node(10e9);
  node.cores_per_cache = 2;
  node.injection_bytes_per_second = 5e9;
  const Network network(node, crossbar(2));
  EXPECT_EQ(levels_of(network, 0, 2), (Levels{"injection", "nic-out", "nic-in", "injection"}));
  EXPECT_EQ(shared_levels(network, {0, 2}, {3, 0}), "injection ");  // both ways
  EXPECT_EQ(shared_levels(network, {0, 2}, {1, 3}), "nic-out nic-in ");
}

TEST(Network, ANodeOfMillionsOfCoresIsRefusedBeforeItsLinksAreMade) {
  NodeShape node = numa_node();
  node.sockets = 1'000'000;
  EXPECT_THROW(NodeRoutes{node}, InputError);
}

TEST(Network, ANodeOfThousandsOfDomainsIsRefusedBeforeTheirRoutesAreSought) {
  NodeShape node = numa_node();
  node.sockets = 1;
  node.domains_per_socket = 256;
  EXPECT_NO_THROW(NodeRoutes{node});
  node.domains_per_socket = 257;
  EXPECT_THROW(NodeRoutes{node}, InputError);
}

TEST(Network, GrowsWithItsLinksNotWithItsPairs) {
  NodeShape node;
  node.sockets = 2;
  node.domains_per_socket = 4;
  node.caches_per_domain = 4;
  node.cores_per_cache = 4;
  node.memory = Channel{40e9, 0};
  node.nics = {{0, {25e9, 0}, std::nullopt}};
  const Network network(
      node, std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 8, .layers = {{16, 8, 1, {25e9, 1e-7}}}}));
  EXPECT_EQ(network.cores(), 16384);
  EXPECT_EQ(network.links().size(), 128u * (8 + 2) + 2 * 16 * 8);
  EXPECT_EQ(levels_of(network, 0, 16383), (Levels{"memory", "nic-out", "leaf-up", "leaf-down", "nic-in", "memory"}));
}

TEST(Network, AShiftAcrossATaperLoadsEachUpLinkByTheTaperWithOneNicAndWithTwo) {
  for (const std::size_t nics : {1, 2})
    for (const int parents : {4, 2, 1}) {
      NodeShape node;
      node.cores_per_cache = static_cast<int>(nics);
      node.nics.assign(nics, {0, {1e9, 0}, std::nullopt});
      const Network network(
          node, std::make_unique<FatTree>(
                    FatTreeShape{.nodes_per_leaf = 4, .layers = {{4, parents, static_cast<int>(nics), {1e9, 1e-7}}}}));
      std::vector<int> load(network.links().size());
      for (int from = 0; from < network.cores(); ++from)
        for (const LinkId link : links_on(network, from, (from + 4 * network.cores_per_node()) % network.cores()))
          ++load[link];
      for (std::size_t link = 0; link < load.size(); ++link) {
        const std::string level = network.links()[link].level.label();
        EXPECT_EQ(load[link], level.starts_with("nic") ? 1 : 4 / parents)
            << nics << " " << network.name_of(static_cast<LinkId>(link));
      }
    }
}

/// The fabric's links on the way between the first cores of two nodes with so many adapters.
std::set<LinkId> between_first_cores(const Network& network, int from, int to) {
  std::set<LinkId> links = links_on(network, from * network.cores_per_node(), to * network.cores_per_node());
  std::erase_if(links, [&](LinkId link) { return link >= network.fabric().links().size(); });
  return links;
}

TEST(Network, AnAdapterThatNoRankUsesChangesNoWay) {
  const Channel cable{1e9, 1e-7};
  const auto fabrics = [&] {
    std::vector<std::unique_ptr<const Fabric>> all;
    all.push_back(std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 4, .layers = {{4, 4, 1, cable}}}));
    all.push_back(
        std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 4, .layers = {{3, 4, 1, cable}, {3, 2, 2, cable}}}));
    all.push_back(std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 5, .layers = {{3, 3, 1, cable}}}));
    return all;
  };
  const auto with = [](std::size_t nics, std::unique_ptr<const Fabric> fabric) {
    NodeShape node;
    node.cores_per_cache = static_cast<int>(nics);
    node.nics.assign(nics, {0, {1e9, 0}, std::nullopt});
    return Network(node, std::move(fabric));
  };
  for (std::size_t i = 0; i < fabrics().size(); ++i) {
    const Network one = with(1, std::move(fabrics()[i]));
    for (const std::size_t nics : {2, 3, 4}) {
      const Network more = with(nics, std::move(fabrics()[i]));
      for (int from = 0; from < one.nodes(); ++from)
        for (int to = 0; to < one.nodes(); ++to)
          EXPECT_EQ(between_first_cores(more, from, to), between_first_cores(one, from, to))
              << i << ": " << nics << " adapters, " << from << " to " << to;
    }
  }
}

TEST(Network, AllAdaptersOfALeafWithFewerNodesThanAnotherSpreadEvenly) {
  const std::string cables =
      "cable,a,s\ncable,a,t\ncable,a,u\ncable,a,v\ncable,b,s\ncable,b,t\ncable,b,u\ncable,b,v\n"
      "cable,c,s\ncable,c,t\ncable,c,u\ncable,c,v\n";
  NodeShape node;
  node.cores_per_cache = 2;
  node.nics.assign(2, {0, {1e9, 0}, std::nullopt});
  for (const std::string larger : {"", "node,5,a\nnode,6,a\nnode,7,a\nnode,8,a\n"}) {
    const std::string text = "node,1,b\nnode,2,b\nnode,3,c\nnode,4,c\n" + larger + cables;
    const Network network(node, std::make_unique<CableGraph>(parse_cables(text, "f.csv", Channel{1e9, 1e-7})));
    std::map<std::string, int> load;
    for (int from = 0; from < 4; ++from)  // of b's nodes to c's
      for (const LinkId link : links_on(network, from, from + 4))
        if (link < network.fabric().links().size()) ++load[network.name_of(link)];
    EXPECT_EQ(load.size(), 8u) << larger;
    for (const auto& [name, flows] : load) EXPECT_EQ(flows, 1) << name;
  }
}

TEST(Network, RefusesWhatMakesNone) {
  EXPECT_THROW(Network(plain_node(), nullptr), InputError);
  EXPECT_THROW(Network(NodeShape{}, crossbar(2)), InputError);
  EXPECT_NO_THROW(Network(NodeShape{}, crossbar(1)));
  NodeShape node = plain_node();
  node.nics[0].domain = 1;
  EXPECT_THROW(Network(node, crossbar(2)), InputError);
  node = plain_node(0);
  EXPECT_THROW(Network(node, crossbar(2)), InputError);
  node = plain_node();
  node.cores_per_cache = 0;
  EXPECT_THROW(Network(node, crossbar(2)), InputError);
  node = plain_node();
  node.memory = Channel{std::numeric_limits<double>::quiet_NaN(), 0};
  EXPECT_THROW(Network(node, crossbar(2)), InputError);
}

}  // namespace
}  // namespace tutti
