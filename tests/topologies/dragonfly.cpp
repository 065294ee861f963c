#include "topologies/dragonfly.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "tests/topologies/check.hpp"

namespace tutti {
namespace {

using namespace test;

DragonflyShape shape(int groups, int chassis, int routers, int nodes, int global) {
  return {groups, chassis, routers, nodes, global, cable, cable, cable};
}

// More groups than routers in a chassis among them, one group, one router, and primes.
std::vector<DragonflyShape> dragonfly_shapes() {
  return {shape(1, 1, 1, 1, 1), shape(1, 1, 5, 2, 1), shape(2, 1, 1, 3, 1), shape(9, 1, 4, 2, 1), shape(9, 4, 2, 2, 1),
          shape(5, 3, 4, 2, 1), shape(5, 3, 4, 2, 7), shape(7, 1, 3, 1, 2), shape(4, 2, 3, 5, 40)};
}

TEST(Dragonfly, RoutesAreShortestPathsWithinTheTwoGroups) {
  for (const DragonflyShape& given : dragonfly_shapes()) {
    const Dragonfly dragonfly(given);
    const int of_group = given.chassis_per_group * given.routers_per_chassis;
    for (int from = 0; from < dragonfly.nodes(); from += given.nodes_per_router)
      for (int to = 0; to < dragonfly.nodes(); ++to)
        EXPECT_EQ(checked_route(dragonfly, from, to, to).size(),
                  hops_in_groups(dragonfly, of_group, dragonfly.switch_of(from), dragonfly.switch_of(to)))
            << from << " to " << to;
  }
}

TEST(Dragonfly, RoutesPassOneGlobalLinkBetweenGroupsAndNoneInside) {
  for (const DragonflyShape& given : dragonfly_shapes()) {
    const Dragonfly dragonfly(given);
    for (int from = 0; from < dragonfly.nodes(); ++from)
      for (int to = 0; to < dragonfly.nodes(); ++to) {
        int global = 0;
        for (const LinkId link : checked_route(dragonfly, from, to, to))
          global += dragonfly.links()[link].level == LinkLevel::Kind::global;
        EXPECT_EQ(global, dragonfly.group_of(from) != dragonfly.group_of(to));
      }
  }
}

TEST(Dragonfly, EveryTwoGroupsHaveTheirCablesOnDifferentRouters) {
  const Dragonfly dragonfly(shape(5, 3, 4, 2, 7));
  std::map<std::pair<int, int>, std::set<int>> holders;
  for (std::size_t link = 0; link < dragonfly.links().size(); ++link)
    if (dragonfly.links()[link].level == LinkLevel::Kind::global)
      holders[{dragonfly.cables()[link].from_switch / 12, dragonfly.cables()[link].to_switch / 12}].insert(
          dragonfly.cables()[link].from_switch);
  EXPECT_EQ(holders.size(), 20u);
  for (const auto& [groups, routers] : holders) EXPECT_EQ(routers.size(), 7u);
}

TEST(Dragonfly, GlobalCablesHaveTheirReverse) {
  for (const DragonflyShape& given : dragonfly_shapes()) {
    const Dragonfly dragonfly(given);
    std::multiset<std::pair<int, int>> there, back;
    for (const Cable& each : dragonfly.cables()) {
      there.emplace(each.from_switch, each.to_switch);
      back.emplace(each.to_switch, each.from_switch);
    }
    EXPECT_EQ(there, back);
  }
}

TEST(Dragonfly, TwoFlowsBetweenTwoGroupsShareTheirOneGlobalLink) {
  const Dragonfly dragonfly(shape(4, 1, 4, 2, 1));
  const std::vector<int> load = load_of(dragonfly, {{0, 8}, {3, 13}});
  for (std::size_t link = 0; link < load.size(); ++link)
    if (dragonfly.links()[link].level == LinkLevel::Kind::global) {
      EXPECT_TRUE(load[link] == 0 || load[link] == 2);
    }
  EXPECT_EQ(*std::max_element(load.begin(), load.end()), 2);
}

TEST(Dragonfly, EquallyGoodGlobalLinksAreSpreadOverDestinations) {
  // Routers 0 and 1 hold the cables between the groups; from router 2 to router 2 they are equally far.
  const Dragonfly dragonfly(shape(2, 1, 3, 4, 2));
  std::vector<std::pair<int, int>> flows;
  for (int i = 8; i < 12; ++i) flows.emplace_back(i, 12 + i);
  const std::vector<int> load = load_of(dragonfly, flows);
  EXPECT_EQ(*std::max_element(load.begin(), load.end()), 2);
}

TEST(Dragonfly, LastPlacesMayStayEmpty) {
  DragonflyShape given = shape(4, 1, 4, 2, 1);
  given.nodes = 19;
  const Dragonfly dragonfly(given);
  EXPECT_EQ(dragonfly.nodes(), 19);
  EXPECT_EQ(dragonfly.groups(), 3);
  EXPECT_EQ(dragonfly.leaves(), 10);
  given.nodes = 33;
  EXPECT_THROW(Dragonfly{given}, InputError);
}

TEST(Dragonfly, RefusesCountsAndCablesThatMakeNone) {
  for (int DragonflyShape::*count :
       {&DragonflyShape::groups, &DragonflyShape::chassis_per_group, &DragonflyShape::routers_per_chassis,
        &DragonflyShape::nodes_per_router, &DragonflyShape::global_cables})
    for (const int bad : {0, -1, 1 << 30}) {
      DragonflyShape given = shape(2, 2, 2, 2, 1);
      given.*count = bad;
      EXPECT_THROW(Dragonfly{given}, InputError);
    }
  for (Channel DragonflyShape::*channel : {&DragonflyShape::local, &DragonflyShape::chassis, &DragonflyShape::global}) {
    DragonflyShape given = shape(2, 2, 2, 2, 1);
    given.*channel = Channel{};
    EXPECT_THROW(Dragonfly{given}, InputError);
  }
}

}  // namespace
}  // namespace tutti
