#include "topologies/dragonfly_plus.hpp"

#include "base/error.hpp"
#include "tests/topologies/check.hpp"

namespace tutti {
namespace {

using namespace test;

DragonflyPlusShape plus(int groups, int leaves, int spines, int nodes, int local, int global) {
  return {groups, leaves, spines, nodes, local, global, cable, cable};
}
std::vector<DragonflyPlusShape> plus_shapes() {
  return {plus(1, 1, 1, 1, 1, 1), plus(1, 3, 2, 5, 2, 1), plus(2, 1, 1, 3, 1, 1),
          plus(9, 2, 3, 2, 1, 1), plus(5, 4, 4, 3, 2, 4), plus(3, 5, 2, 1, 1, 7)};
}

TEST(DragonflyPlus, RoutesAreShortestPathsWithinTheTwoGroups) {
  for (const DragonflyPlusShape& given : plus_shapes()) {
    const DragonflyPlus fabric(given);
    const int of_group = given.leaves_per_group + given.spines_per_group;
    for (int from = 0; from < fabric.nodes(); ++from)
      for (int to = 0; to < fabric.nodes(); ++to) {
        // A global cable on a spine serves any leaf, so that every way over one global link has three hops.
        const std::vector<LinkId> route = checked_route(fabric, from, to, to);
        EXPECT_EQ(route.size(), hops_in_groups(fabric, of_group, fabric.switch_of(from), fabric.switch_of(to)));
      }
  }
}

TEST(DragonflyPlus, UpGlobalDownRoutingCannotDeadlock) {
  for (const DragonflyPlusShape& given : plus_shapes()) expect_no_deadlock(DragonflyPlus(given));
}

TEST(DragonflyPlus, DestinationsSpreadEvenlyOverSpinesAndGlobalLinks) {
  const DragonflyPlus fabric(plus(3, 4, 4, 8, 2, 4));
  std::vector<std::pair<int, int>> flows;
  for (int from = 0; from < fabric.nodes(); ++from)
    for (int to = 0; to < fabric.nodes(); ++to) flows.emplace_back(from, to);
  const std::vector<int> load = load_of(fabric, flows);
  for (std::size_t link = 0; link < load.size(); ++link) {
    if (fabric.links()[link].level == LinkLevel::Kind::global) {
      EXPECT_EQ(load[link], 32 * 32 / 4) << fabric.name_of(static_cast<LinkId>(link));
    } else {
      EXPECT_EQ(load[link], 8 * 88 / 8) << fabric.name_of(static_cast<LinkId>(link));
    }
  }
}

TEST(DragonflyPlus, RefusesCountsAndCablesThatMakeNone) {
  for (int DragonflyPlusShape::*count :
       {&DragonflyPlusShape::groups, &DragonflyPlusShape::leaves_per_group, &DragonflyPlusShape::spines_per_group,
        &DragonflyPlusShape::nodes_per_leaf, &DragonflyPlusShape::local_cables, &DragonflyPlusShape::global_cables})
    for (const int bad : {0, -1, 1 << 30}) {
      DragonflyPlusShape given = plus(2, 2, 2, 2, 1, 1);
      given.*count = bad;
      EXPECT_THROW(DragonflyPlus{given}, InputError);
    }
  DragonflyPlusShape given = plus(2, 2, 2, 2, 1, 1);
  given.local = {};
  EXPECT_THROW(DragonflyPlus{given}, InputError);
  given = plus(2, 2, 2, 2, 1, 1);
  given.global = {};
  EXPECT_THROW(DragonflyPlus{given}, InputError);
}

}  // namespace
}  // namespace tutti
