#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.hpp"
#include "tests/topologies/check.hpp"
#include "topologies/cable_graph.hpp"
#include "topologies/dragonfly.hpp"
#include "topologies/dragonfly_plus.hpp"
#include "topologies/fat_tree.hpp"

// Routing that is hashed or adaptive.

namespace tutti {
namespace {

using namespace test;

constexpr Channel long_cable{2e9, 5e-7};

FatTreeShape routed_tree(Routing routing) { return {3, {{2, 2, 1, cable}, {4, 3, 2, long_cable}}, 0, routing}; }
DragonflyPlusShape routed_plus(Routing routing, double detours = 0) {
  return {3, 2, 2, 4, 1, 4, cable, long_cable, 0, routing, detours};
}
DragonflyShape dragonfly(Routing routing, double detours = 0, int groups = 3) {
  return {groups, 1, 4, 2, 3, cable, {}, long_cable, 0, routing, detours};
}

std::vector<LinkId> links_between(const Fabric& fabric, int from, int to, std::int64_t destination = 0) {
  std::vector<LinkId> links;
  fabric.route(from, to, destination, links);
  return links;
}

std::vector<std::string> names(const Fabric& fabric, int from, int to) {
  std::vector<std::string> all;
  for (const LinkId link : links_between(fabric, from, to)) all.push_back(fabric.name_of(link));
  return all;
}

double latency(const Fabric& fabric, int from, int to) {
  double seconds = 0;
  for (const LinkId link : links_between(fabric, from, to, to)) seconds += fabric.links()[link].latency_seconds;
  return seconds;
}

double width(const Fabric& fabric, const std::string& name) {
  for (LinkId link = 0; link < fabric.links().size(); ++link)
    if (fabric.name_of(link) == name) return fabric.links()[link].bandwidth_bytes_per_second;
  ADD_FAILURE() << "no link " << name;
  return 0;
}

TEST(HashedRouting, TakesPathsAlongCablesOneForEachPairAndManyForADestination) {
  const FatTree fat(routed_tree(Routing::hashed));
  expect_shortest_paths(fat);
  expect_no_deadlock(fat);
  const Dragonfly fly(dragonfly(Routing::hashed));
  const DragonflyPlus fly_plus(routed_plus(Routing::hashed));
  CableList list{
      {"a", "b", "c", "d"}, {0, 0, 0, 0, 3}, {{0, 1, 1, cable}, {0, 2, 1, cable}, {1, 3, 1, cable}, {2, 3, 1, cable}}};
  const CableGraph graph(list, Routing::hashed);
  for (const Fabric* fabric : {static_cast<const Fabric*>(&fat), static_cast<const Fabric*>(&fly),
                               static_cast<const Fabric*>(&fly_plus), static_cast<const Fabric*>(&graph)}) {
    const int last = fabric->nodes() - 1;
    std::set<std::vector<LinkId>> to_last;
    for (int from = 0; from < last; ++from) {
      EXPECT_EQ(checked_route(*fabric, from, last, last), links_between(*fabric, from, last, last));
      if (fabric->switch_of(from) == fabric->switch_of(0)) to_last.insert(links_between(*fabric, from, last, last));
    }
    EXPECT_TRUE(fabric->reaches().empty());
    EXPECT_GT(to_last.size(), fabric == &fly ? 0u : 1u) << "from one switch to one destination";
  }
}

TEST(AdaptiveRouting, JoinsAFatTreesCablesOfASubtreeToATrunkEachWay) {
  const FatTree fat(routed_tree(Routing::adaptive)), fixed(routed_tree(Routing::fixed));
  EXPECT_EQ(fat.links().size(), 2u * (8 + 4));
  EXPECT_EQ(names(fat, 0, 2), std::vector<std::string>());
  EXPECT_EQ(names(fat, 0, 3), (std::vector<std::string>{"leaf-up/0", "leaf-down/1"}));
  EXPECT_EQ(names(fat, 0, 23), (std::vector<std::string>{"leaf-up/0", "spine-up/0", "spine-down/3", "leaf-down/7"}));
  EXPECT_EQ(width(fat, "leaf-up/3"), 2e9) << "two cables";
  EXPECT_EQ(width(fat, "spine-down/2"), 2e9 * 2 * 3 * 2) << "of two switches, two cables to each of three";
  for (int from = 0; from < fat.nodes(); ++from)
    for (int to = 0; to < fat.nodes(); ++to) EXPECT_DOUBLE_EQ(latency(fat, from, to), latency(fixed, from, to));
}

TEST(AdaptiveRouting, JoinsADragonflyPlusCablesOfALeafAndBetweenGroups) {
  const DragonflyPlus fabric(routed_plus(Routing::adaptive)), fixed(routed_plus(Routing::fixed));
  EXPECT_EQ(names(fabric, 0, 4), (std::vector<std::string>{"leaf-up/0", "leaf-down/1"}));
  EXPECT_EQ(names(fabric, 0, 23), (std::vector<std::string>{"leaf-up/0", "global/0/2", "leaf-down/5"}));
  EXPECT_EQ(width(fabric, "leaf-up/0"), 2e9);
  EXPECT_EQ(width(fabric, "global/2/1"), 8e9);
  for (int from = 0; from < fabric.nodes(); ++from)
    for (int to = 0; to < fabric.nodes(); ++to) EXPECT_DOUBLE_EQ(latency(fabric, from, to), latency(fixed, from, to));
}

TEST(AdaptiveRouting, JoinsADragonflysCablesOfARouterAndBetweenGroups) {
  const Dragonfly fabric(dragonfly(Routing::adaptive));
  EXPECT_EQ(names(fabric, 0, 1), std::vector<std::string>());
  EXPECT_EQ(names(fabric, 0, 2), (std::vector<std::string>{"local/out/0", "local/in/1"}));
  EXPECT_EQ(names(fabric, 0, 23), (std::vector<std::string>{"local/out/0", "global/0/2", "local/in/11"}));
  EXPECT_EQ(width(fabric, "local/in/5"), 3e9) << "from three other routers";
  EXPECT_EQ(width(fabric, "global/0/1"), 6e9);
  EXPECT_DOUBLE_EQ(latency(fabric, 0, 2), 1e-7) << "one local cable";
  EXPECT_DOUBLE_EQ(latency(fabric, 0, 23), 6e-7) << "one local cable, one global";
}

TEST(AdaptiveRouting, DetoursWidenTheDirectWayAndLoadTheGroupsCables) {
  const Dragonfly fabric(dragonfly(Routing::adaptive, 0.25, 5));
  EXPECT_DOUBLE_EQ(width(fabric, "global/0/1"), 6e9 / 0.75);
  EXPECT_DOUBLE_EQ(width(fabric, "global/out/4"), 4 * 6e9);
  EXPECT_DOUBLE_EQ(width(fabric, "global/in/0"), 4 * 6e9);
  EXPECT_EQ(names(fabric, 0, 39),
            (std::vector<std::string>{"local/out/0", "global/out/0", "global/0/4", "global/in/4", "local/in/19"}));
  EXPECT_DOUBLE_EQ(latency(fabric, 0, 39), 6e-7);
  EXPECT_DOUBLE_EQ(width(Dragonfly(dragonfly(Routing::adaptive, 1, 5)), "global/0/1"), 4 * 6e9) << "no more than all";
  const Dragonfly two(dragonfly(Routing::adaptive, 0.25, 2));
  EXPECT_DOUBLE_EQ(width(two, "global/0/1"), 6e9) << "there is no third group";
  EXPECT_THROW(Dragonfly(dragonfly(Routing::fixed, 0.25)), InputError);
  EXPECT_THROW(DragonflyPlus(routed_plus(Routing::hashed, 0.25)), InputError);
  EXPECT_THROW(Dragonfly(dragonfly(Routing::adaptive, 1.5)), InputError);
  DragonflyShape aries = dragonfly(Routing::adaptive);
  aries.chassis_per_group = 2;
  aries.chassis = cable;
  EXPECT_THROW(Dragonfly{aries}, InputError);
}

TEST(AdaptiveRouting, ATrunkCanFillOnlyWhereAdaptersOfTheJobOutweighIt) {
  NodeShape node;
  node.cores_per_cache = 2;
  node.domains_per_socket = 2;
  node.nics = {{0, {1e9, 0}, {}}, {1, {1e9, 0}, {}}};  // cores 0 and 1 use the first, 2 and 3 the second
  const Network network(node, std::make_unique<FatTree>(routed_tree(Routing::adaptive)));
  const auto fillable = [&](const std::vector<int>& cores) {
    std::set<std::string> all;
    const std::vector<bool> can = network.can_fill(cores);
    for (LinkId id = 0; id < network.fabric().links().size(); ++id)
      if (can[id]) all.insert(network.name_of(static_cast<LinkId>(id)));
    return all;
  };
  EXPECT_EQ(fillable({0, 4, 12}), std::set<std::string>()) << "two adapters behind two cables";
  EXPECT_EQ(fillable({0, 1, 4, 5, 12}), std::set<std::string>()) << "two cores on one adapter";
  EXPECT_EQ(fillable({0, 4, 8, 12}), (std::set<std::string>{"leaf-up/0", "leaf-down/0"})) << "three behind two cables";
  EXPECT_EQ(fillable({0, 4, 8, 12, 16, 20}),
            (std::set<std::string>{"leaf-up/0", "leaf-down/0", "leaf-up/1", "leaf-down/1"}));
  EXPECT_EQ(fillable({0, 2, 4, 12, 14, 16}),
            (std::set<std::string>{"leaf-up/0", "leaf-down/0", "leaf-up/1", "leaf-down/1"}))
      << "cores on both adapters of a node";
  const Network fixed(node, std::make_unique<FatTree>(routed_tree(Routing::fixed)));
  const std::vector<bool> can = fixed.can_fill(std::vector<int>{0, 4});
  EXPECT_EQ(std::count(can.begin(), can.end(), false), 0) << "of single cables nobody asks";
}

}  // namespace
}  // namespace tutti
