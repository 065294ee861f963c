#include "topologies/failed_cables.hpp"

#include "base/error.hpp"
#include "tests/topologies/check.hpp"
#include "topologies/cable_graph.hpp"
#include "topologies/dragonfly_plus.hpp"
#include "topologies/fat_tree.hpp"
#include "topologies/torus.hpp"

namespace tutti {
namespace {

using namespace test;

std::shared_ptr<const Network> tree_of(int parents, int cables = 1) {
  return std::make_shared<const Network>(
      plain_node(),
      std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 4, .layers = {{4, parents, cables, cable}}}));
}

bool passes(const std::vector<LinkId>& way, const std::vector<LinkId>& links) {
  return std::any_of(way.begin(), way.end(),
                     [&](LinkId link) { return std::find(links.begin(), links.end(), link) != links.end(); });
}

TEST(FailedCables, EveryCableHasTwoDirectionsBetweenTheSameSwitches) {
  const auto network = tree_of(2, 3);
  EXPECT_EQ(cable_levels(network->fabric()), std::vector<std::string>{"leaf"});
  const auto cables = cables_of(network->fabric(), "leaf");
  EXPECT_EQ(cables.size(), 4u * 2 * 3);
  std::set<LinkId> seen;
  for (const auto& [there, back] : cables) {
    const Cable &a = network->fabric().cables()[there], &b = network->fabric().cables()[back];
    EXPECT_EQ(std::pair(a.from_switch, a.to_switch), std::pair(b.to_switch, b.from_switch));
    seen.insert({there, back});
  }
  EXPECT_EQ(seen.size(), network->fabric().links().size());
  EXPECT_TRUE(cables_of(network->fabric(), "global").empty());
}

TEST(FailedCables, WaysOverThemBecomeOtherShortestWaysAndAllOthersStay) {
  const auto whole = tree_of(2);
  const auto [up, down] = cables_of(whole->fabric(), "leaf").front();
  const auto part = without_links(whole, {up, down});
  int moved = 0;
  for (int from = 0; from < 16; ++from)
    for (int to = 0; to < 16; ++to) {
      const std::vector<LinkId> before = checked_route(whole->fabric(), from, to, to),
                                after = checked_route(part->fabric(), from, to, to);
      EXPECT_EQ(before.size(), after.size());
      EXPECT_FALSE(passes(after, {up, down}));
      if (passes(before, {up, down}))
        ++moved;
      else
        EXPECT_EQ(before, after);
    }
  EXPECT_EQ(moved, 2 * 4 * 6);  // between the leaf's 4 nodes and those of the other 12 that one of two up-links serves
  expect_no_deadlock(part->fabric());
}

TEST(FailedCables, WaysOfForwardingTablesOverThemBecomeOtherShortestOnes) {
  std::string list = "node,a,l0\nnode,b,l1\ncable,l0,s0,2\ncable,l0,s1,1\ncable,l1,s0,1\ncable,l1,s1,1\n";
  for (const char* route : {"l0,b,s0,1", "s0,b,l1", "s1,b,l1", "l1,a,s0", "s0,a,l0,1", "s1,a,l0"})
    list += std::string("route,") + route + "\n";
  const auto whole =
      std::make_shared<const Network>(plain_node(), std::make_unique<CableGraph>(parse_cables(list, "list", cable)));
  const auto cables = cables_of(whole->fabric(), "cable");  // l0-s0 twice, l0-s1, l1-s0, l1-s1
  const auto there_and_back = [](const auto& one) { return std::vector<LinkId>{one.first, one.second}; };
  const std::vector<LinkId> before = checked_route(whole->fabric(), 0, 1, 1);
  EXPECT_TRUE(passes(before, there_and_back(cables[1])));
  const auto idle = without_links(whole, there_and_back(cables[0]));
  EXPECT_EQ(checked_route(idle->fabric(), 0, 1, 1), before);
  const auto parallel = without_links(whole, there_and_back(cables[1]));
  EXPECT_EQ(checked_route(parallel->fabric(), 0, 1, 1).size(), before.size());
  EXPECT_FALSE(passes(checked_route(parallel->fabric(), 1, 0, 0), there_and_back(cables[1])));
  const auto other_spine = without_links(parallel, there_and_back(cables[3]));
  EXPECT_TRUE(passes(checked_route(other_spine->fabric(), 0, 1, 1), there_and_back(cables[4])));
  EXPECT_TRUE(has_tables(other_spine->fabric()));
  std::vector<LinkId> way;
  EXPECT_THROW(without_links(other_spine, there_and_back(cables[4]))->fabric().route(0, 1, 1, way), InputError);
}

TEST(FailedCables, WithoutASpineTheOthersCarryEverything) {
  const auto whole = std::make_shared<const Network>(
      plain_node(), std::make_unique<DragonflyPlus>(DragonflyPlusShape{.groups = 3,
                                                                       .leaves_per_group = 2,
                                                                       .spines_per_group = 2,
                                                                       .nodes_per_leaf = 2,
                                                                       .global_cables = 2,
                                                                       .local = cable,
                                                                       .global = cable}));
  const int spine = 2;  // of the first group, behind its two leaves
  const auto part = without_links(whole, links_at(whole->fabric(), spine));
  for (int from = 0; from < whole->nodes(); ++from)
    for (int to = 0; to < whole->nodes(); ++to)
      for (const LinkId link : checked_route(part->fabric(), from, to, to)) {
        EXPECT_NE(part->fabric().cables()[link].from_switch, spine);
        EXPECT_NE(part->fabric().cables()[link].to_switch, spine);
      }
}

TEST(FailedCables, WhereNoWayIsLeftThatIsSaidWithBothNodes) {
  const auto whole = tree_of(1);
  const auto [up, down] = cables_of(whole->fabric(), "leaf").front();
  const auto part = without_links(whole, {up, down});
  std::vector<LinkId> way;
  part->fabric().route(0, 3, 3, way);  // inside the leaf
  part->fabric().route(4, 8, 8, way);  // elsewhere
  try {
    part->fabric().route(0, 8, 8, way);
    FAIL() << "there is no way";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("from node 0 to node 8"), std::string::npos) << error.what();
  }
  const auto torus = std::make_shared<const Network>(plain_node(), std::make_unique<Torus>(TorusShape{{4}, 1, cable}));
  const auto [there, back] = cables_of(torus->fabric(), "torus-0").front();
  EXPECT_THROW(without_links(torus, {there, back})->fabric().route(0, 1, 1, way), InputError);
  EXPECT_THROW(without_links(torus, {1000}), InputError);
}

}  // namespace
}  // namespace tutti
