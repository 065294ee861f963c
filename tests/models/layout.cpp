#include "models/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "tests/refusal.hpp"

namespace tutti {
namespace {

LayoutOptions of_nodes(int nodes, int ppn, const std::string& placement = "block") {
  return {nodes, ppn, std::nullopt, placement};
}
LayoutOptions of_ranks(int ranks, std::optional<int> ppn = {}) { return {std::nullopt, ppn, ranks}; }

class Layouts : public testing::Test {
 protected:
  const Machine machine = load_machine("example-cluster");
  const int nodes = machine.network->nodes(), cores = machine.network->cores_per_node();
};

TEST_F(Layouts, RanksAloneAreOneANodeWhileThereAreNodesAndThenFillThem) {
  const Layout few = make_layout(machine, of_ranks(nodes));
  EXPECT_EQ(few.ppn, 1);
  EXPECT_EQ(few.nodes, nodes);
  const Layout many = make_layout(machine, of_ranks(nodes + 1));
  EXPECT_EQ(many.ppn, cores);
  EXPECT_EQ(many.nodes, (nodes + cores) / cores);
  EXPECT_EQ(many.ranks, nodes + 1);
}

TEST_F(Layouts, TheLastNodeMayHaveFewerRanksAndPpnIsTheMostOfANode) {
  const Layout layout = make_layout(machine, of_ranks(7, 3));
  EXPECT_EQ(nodes_of(*machine.network, layout.core_of_rank), (std::vector<int>{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(layout.nodes, 3);
  EXPECT_EQ(layout.ppn, 3);
  EXPECT_EQ(layout.fewest, 1);
}

TEST_F(Layouts, NobodyGetsNodesThatAreOutOfOrder) {
  LayoutOptions options = of_nodes(3, 2);
  options.out_of_order = {0, 2};
  EXPECT_EQ(nodes_of(*machine.network, make_layout(machine, options).core_of_rank),
            (std::vector<int>{1, 1, 3, 3, 4, 4}));
}

TEST_F(Layouts, AreThoseOfBeforeWhereNodesFailThatTheJobDoesNotHave) {
  for (const std::string placement : {"block", "scattered:1", "scattered:2", "scattered:17"}) {
    LayoutOptions options = of_nodes(5, 1, placement);
    const auto job = [&] { return nodes_of(*machine.network, make_layout(machine, options).core_of_rank); };
    const std::vector<int> before = job();
    for (int node = 0; node < nodes; ++node)
      if (std::find(before.begin(), before.end(), node) == before.end()) {
        options.out_of_order.push_back(node);  // one after the other, until all others have failed
        EXPECT_EQ(job(), before) << placement << " without " << node;
      }
    for (const int failed : before) {
      options.out_of_order = {failed};
      std::vector<int> kept;
      const std::vector<int> after = job();
      std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(kept));
      EXPECT_EQ(kept.size(), 4u) << placement << " without " << failed;
    }
  }
}

TEST_F(Layouts, OfAMachineWithoutANodeInOrderAreRefused) {
  LayoutOptions options = of_nodes(1, 1);
  for (int node = 0; node < nodes; ++node) options.out_of_order.push_back(node);
  EXPECT_EQ(refusal([&] { make_layout(machine, options); }), "none of the machine's nodes is in order");
}

TEST_F(Layouts, AreScatteredAsTheSeedSays) {
  const auto nodes_with = [&](const std::string& placement) {
    return nodes_of(*machine.network, make_layout(machine, of_nodes(5, 1, placement)).core_of_rank);
  };
  EXPECT_EQ(nodes_with("scattered:1"), nodes_with("scattered:1"));
  EXPECT_NE(nodes_with("scattered:1"), nodes_with("scattered:2"));
  for (const char* wrong : {"scattered", "scattered:", "scattered:x", "scattered:1x", "scattered:-1"})
    EXPECT_NE(refusal([&] { nodes_with(wrong); }).find("expected block, cyclic, scattered:SEED"), std::string::npos)
        << wrong;
  const std::string said = refusal([&] { nodes_with("scattered-1"); });
  EXPECT_NE(said.find("expected a readable placement file, or block, cyclic or scattered:SEED"), std::string::npos)
      << said;
}

TEST_F(Layouts, ThatTheMachineHasNoPlaceForAreRefused) {
  const auto refused = [&](const LayoutOptions& options) { return refusal([&] { make_layout(machine, options); }); };
  EXPECT_EQ(refused(of_nodes(nodes, cores)), "accepted");
  EXPECT_NE(refused(of_nodes(nodes + 1, 1)).find("the machine has " + std::to_string(nodes) + " nodes"),
            std::string::npos);
  EXPECT_NE(refused(of_nodes(1, cores + 1)).find("nodes have " + std::to_string(cores) + " cores"), std::string::npos);
  EXPECT_NE(refused({}).find("expected either --nodes"), std::string::npos);
  EXPECT_NE(refused({2, 1, 2}).find("expected either --nodes"), std::string::npos);
}

TEST(LayoutLists, ThatGoFromANodeForEachRankToFullNodesSayThatTimesJump) {
  const Machine machine = load_machine("example-cluster");  // 16 nodes of 8 cores
  const auto jump = [&](const LayoutLists& lists) { return layout_jump(*machine.network, each_layout(lists)); };
  EXPECT_EQ(jump({"", "", "2-17"}), "up to 16 ranks have a node each, more of them fill nodes of 8: times jump there");
  for (const LayoutLists& one : {LayoutLists{"", "", "2-16"}, {"", "", "1,17-32"}, {"", "8", "2-17"}, {"2-16", "", ""}})
    EXPECT_EQ(jump(one), "") << one.ranks;
}

TEST(LayoutLists, GiveEveryNumberWithEveryOther) {
  const auto all = each_layout({"2-3", "1,4", "", "cyclic"});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].nodes, 2);
  EXPECT_EQ(all[0].ppn, 1);
  EXPECT_EQ(all[3].nodes, 3);
  EXPECT_EQ(all[3].ppn, 4);
  EXPECT_FALSE(all[3].ranks.has_value());
  EXPECT_EQ(all[3].placement, "cyclic");
  EXPECT_EQ(refusal([] { each_layout({"0", "", "", "block"}); }), "--nodes 0: expected 1 or more");
  EXPECT_NE(refusal([] { each_layout({"", "", "99999999", "block"}); }).find("--ranks 99999999"), std::string::npos);
}

}  // namespace
}  // namespace tutti
