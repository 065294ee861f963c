#include "topologies/fat_tree.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "tests/topologies/check.hpp"

namespace tutti {
namespace {

using namespace test;

std::vector<FatTreeShape> fat_tree_shapes() {
  return {
      {.nodes_per_leaf = 1, .layers = {}},
      {.nodes_per_leaf = 7, .layers = {}},
      {.nodes_per_leaf = 4, .layers = {{4, 2, 1, cable}}},
      {.nodes_per_leaf = 4, .layers = {{4, 4, 1, cable}}},
      {.nodes_per_leaf = 3, .layers = {{5, 2, 3, cable}}},
      {.nodes_per_leaf = 1, .layers = {{13, 1, 1, cable}}},
      {.nodes_per_leaf = 2, .layers = {{3, 2, 1, cable}, {4, 3, 2, cable}}},
      {.nodes_per_leaf = 2, .layers = {{2, 2, 1, cable}, {2, 2, 1, cable}, {3, 2, 1, cable}}},
      {.nodes_per_leaf = 5, .layers = {{3, 4, 1, cable}, {2, 2, 1, cable}}, .nodes = 17},
  };
}

TEST(FatTree, RoutesAreShortestPathsAlongCablesInEveryShape) {
  for (const FatTreeShape& shape : fat_tree_shapes()) expect_shortest_paths(FatTree(shape));
}

TEST(FatTree, UpThenDownRoutingCannotDeadlock) {
  for (const FatTreeShape& shape : fat_tree_shapes()) expect_no_deadlock(FatTree(shape));
}

TEST(FatTree, RoutesNeverGoUpAfterGoingDown) {
  for (const FatTreeShape& shape : fat_tree_shapes()) {
    const FatTree tree(shape);
    for (int from = 0; from < tree.nodes(); ++from)
      for (int to = 0; to < tree.nodes(); ++to) {
        bool down = false;
        for (const LinkId link : checked_route(tree, from, to, to)) {
          const bool up = tree.links()[link].level.label().ends_with("-up");
          EXPECT_FALSE(up && down);
          down = !up;
        }
      }
  }
}

TEST(FatTree, CountsSwitchesAndCablesAsItsShapeSays) {
  const FatTree tree({.nodes_per_leaf = 2, .layers = {{3, 2, 1, cable}, {4, 3, 2, cable}}});
  EXPECT_EQ(tree.nodes(), 24);
  EXPECT_EQ(tree.switches(), 12 + 8 + 6);
  EXPECT_EQ(tree.links().size(), 2u * (12 * 2 + 8 * 3 * 2));
  EXPECT_EQ(tree.leaves(), 12);
  EXPECT_EQ(tree.groups(), 4);
  EXPECT_EQ(tree.leaf_of(5), 2);
  EXPECT_EQ(tree.group_of(5), 0);
  EXPECT_EQ(tree.group_of(6), 1);
}

TEST(FatTree, DModKSpreadsDestinationsEvenlyOverUpLinks) {
  const FatTree tree({.nodes_per_leaf = 4, .layers = {{4, 2, 2, cable}, {3, 4, 1, cable}}});
  std::vector<std::pair<int, int>> flows;
  for (int from = 0; from < tree.nodes(); ++from)
    for (int to = 0; to < tree.nodes(); ++to) flows.emplace_back(from, to);
  const std::vector<int> load = load_of(tree, flows);
  // 4 nodes of each of 12 leaves to the 44 nodes elsewhere, over 4 up-links; the 16 nodes of each of 3 subtrees to the
  // 32 elsewhere, over 8 spine up-links.
  for (std::size_t link = 0; link < load.size(); ++link)
    EXPECT_EQ(load[link], tree.links()[link].level.label().starts_with("leaf") ? 4 * 44 / 4 : 16 * 32 / 8)
        << tree.name_of(static_cast<LinkId>(link));
}

TEST(FatTree, AllTrafficToOneNodeComesDownOnePath) {
  const FatTree tree({.nodes_per_leaf = 4, .layers = {{3, 2, 2, cable}, {4, 4, 1, cable}}});
  std::set<LinkId> down;
  for (int from = 12; from < tree.nodes(); ++from)
    for (const LinkId link : checked_route(tree, from, 2, 2))
      if (tree.links()[link].level.label().ends_with("-down")) down.insert(link);
  EXPECT_EQ(down.size(), 2u);
}

TEST(FatTree, A2To1TaperDoublesAShiftedPermutation) {
  const auto worst = [](int parents) {
    const FatTree tree({.nodes_per_leaf = 4, .layers = {{4, parents, 1, cable}}});
    std::vector<std::pair<int, int>> shift;
    for (int from = 0; from < tree.nodes(); ++from) shift.emplace_back(from, (from + 4) % tree.nodes());
    const std::vector<int> load = load_of(tree, shift);
    return *std::max_element(load.begin(), load.end());
  };
  EXPECT_EQ(worst(4), 1);
  EXPECT_EQ(worst(2), 2);
  EXPECT_EQ(worst(1), 4);
}

TEST(FatTree, OneSwitchHasNeitherLeavesNorGroups) {
  const FatTree crossbar({.nodes_per_leaf = 3, .layers = {}});
  EXPECT_EQ(crossbar.leaves(), 0);
  EXPECT_EQ(crossbar.leaf_of(1), -1);
  EXPECT_EQ(crossbar.groups(), 0);
  EXPECT_EQ(crossbar.group_of(1), -1);
  EXPECT_TRUE(crossbar.links().empty());
}

TEST(FatTree, RefusesShapesThatMakeNone) {
  EXPECT_THROW(FatTree({.nodes_per_leaf = 0, .layers = {}}), InputError);
  EXPECT_THROW(FatTree({.nodes_per_leaf = 2, .layers = {{0, 1, 1, cable}}}), InputError);
  EXPECT_THROW(FatTree({.nodes_per_leaf = 2, .layers = {{2, 0, 1, cable}}}), InputError);
  EXPECT_THROW(FatTree({.nodes_per_leaf = 2, .layers = {{2, 1, -1, cable}}}), InputError);
  EXPECT_THROW(FatTree({.nodes_per_leaf = 2, .layers = {{2, 1, 1, {0, 0}}}}), InputError);
  EXPECT_THROW(FatTree({.nodes_per_leaf = 2, .layers = {{2, 1, 1, cable}}, .nodes = 5}), InputError);
  EXPECT_THROW(FatTree({.nodes_per_leaf = 65536, .layers = {{65536, 65536, 1, cable}}}), InputError);
}

}  // namespace
}  // namespace tutti
