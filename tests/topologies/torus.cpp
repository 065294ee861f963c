#include "topologies/torus.hpp"

#include "base/error.hpp"
#include "tests/topologies/check.hpp"

namespace tutti {
namespace {

using namespace test;

TEST(Torus, RoutesAreShortestPathsInAnyDimensions) {
  const std::vector<std::vector<int>> all{{1}, {2}, {7}, {8}, {2, 2}, {3, 5}, {1, 4}, {4, 3, 2}, {2, 3, 2, 3, 2}};
  for (const std::vector<int>& dimensions : all)
    for (const int nodes : {1, 3}) expect_shortest_paths(Torus({dimensions, nodes, cable}));
}

TEST(Torus, RoutesGoAlongOneDimensionAfterTheOther) {
  const Torus torus({{4, 3, 5}, 1, cable});
  for (int from = 0; from < torus.nodes(); ++from)
    for (int to = 0; to < torus.nodes(); ++to) {
      std::string before;
      for (const LinkId link : checked_route(torus, from, to, to)) {
        EXPECT_LE(before, torus.links()[link].level.label());
        before = torus.links()[link].level.label();
      }
    }
}

TEST(Torus, ARingShiftLoadsEachLinkOnce) {
  const Torus ring({{9}, 1, cable});
  std::vector<std::pair<int, int>> shift;
  for (int from = 0; from < 9; ++from) shift.emplace_back(from, (from + 1) % 9);
  const std::vector<int> load = load_of(ring, shift);
  for (std::size_t link = 0; link < load.size(); ++link) EXPECT_EQ(load[link], link < 9);
}

TEST(Torus, HasNeitherGroupsNorLeaves) {
  const Torus torus({{4, 4}, 1, cable});
  EXPECT_EQ(torus.groups(), 0);
  EXPECT_EQ(torus.leaf_of(3), -1);
}

TEST(Torus, RefusesWhatMakesNone) {
  EXPECT_THROW(Torus({{}, 1, cable}), InputError);
  EXPECT_THROW(Torus({{4, 0}, 1, cable}), InputError);
  EXPECT_THROW(Torus({{4}, 0, cable}), InputError);
  EXPECT_THROW(Torus({{4}, 1, {}}), InputError);
  EXPECT_THROW(Torus({{4096, 4096, 4096}, 1, cable}), InputError);
}

}  // namespace
}  // namespace tutti
