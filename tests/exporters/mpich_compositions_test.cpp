// MPICH's selection file, and beside it that of its device's compositions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exporters/mpich_tree.hpp"
#include "selection/export.hpp"

namespace tutti {
namespace {

Case a_case(Collective collective, int ranks, Count count) {
  Case c{collective, ranks, 0, 1};
  c.count = count;
  return c;
}

/// Broadcasts on four nodes or more with two ranks each: a ring up to 8191 bytes.
std::string ring_up_to_8191(const Exporter& exporter) {
  FileRules rules{.collective = Collective::bcast, .layout = {2, 4}, .last_size = FileRules::kNoEnd, .rules = {}};
  Rule said, own;
  said.algorithm = "scatter_ring", said.from_bytes = 0, said.to_bytes = 8191;
  own.algorithm = kOwnChoice, own.from_bytes = 8192, own.to_bytes = Rule::kUnlimited;
  rules.rules = {said, own};
  return exporter.write(std::vector{rules}, {});
}

TEST(MpichCompositions, LeaveToTheSelectionWhatTheFileSaysAndKeepTheRest) {
  const Exporter& exporter = find_exporter("mpich-ch4-json");
  const std::string text = ring_up_to_8191(exporter);
  const auto beside = exporter.beside(text, "it");
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_EQ(beside[0].first, ".ch4");
  const MpichTree file = MpichTree::parse(beside[0].second);
  EXPECT_EQ(file.size(), 5u) << "what the device composes";
  const MpichTree& bcast = file.at("collective=bcast").at("comm_type=intra");
  const MpichTree& own = bcast.at("comm_avg_ppn=any");
  EXPECT_TRUE(own.contains("comm_hierarchy=parent"));
  EXPECT_EQ(bcast.at("comm_avg_ppn<=1"), own);
  const MpichTree& two = bcast.at("comm_avg_ppn<=2");
  EXPECT_EQ(two.at("comm_size<=7"), own);
  const MpichTree left{{"composition=MPIDI_Bcast_intra_composition_gamma", MpichTree::object()}};
  EXPECT_EQ(two.at("comm_size=any").at("avg_msg_size<=8191"), left);
  EXPECT_EQ(two.at("comm_size=any").at("avg_msg_size=any"), own);
  for (const std::string& each : {text, beside[0].second})  // MPICH takes it for <= where it asks late
    EXPECT_EQ(each.find("\"comm_size<8"), std::string::npos);
}

TEST(MpichCompositions, AreTheLibrarysOwnChoiceWhenAFileIsRead) {
  const auto choice = [](const char* form, int nodes, Count count) {
    const Exporter& exporter = find_exporter(form);
    const auto found =
        exporter.read(ring_up_to_8191(exporter), "it")->choice(a_case(Collective::bcast, 8, count), evenly(nodes, 8));
    return found ? found->text() : "";
  };
  EXPECT_EQ(choice("mpich-ch4-json", 4, 8191), "scatter_ring");
  EXPECT_EQ(choice("mpich-ch4-json", 4, 8192), "");
  EXPECT_EQ(choice("mpich-ch4-json", 8, 8191), "") << "one rank a node";
  EXPECT_EQ(choice("mpich-json", 4, 8191), "scatter_ring");
}

TEST(MpichTree, AnswersQuestionsAsMpichDoes) {
  const auto holds = [](const std::string& conditions, int ranks, int nodes) {
    MpichTree tree = MpichTree::parse(R"({"algorithm=here":{}})");
    const MpichTree other = MpichTree::parse(R"({"algorithm=there":{}})");
    std::vector<std::string> keys;
    for (std::size_t begin = 0, end; begin < conditions.size(); begin = end + 1) {
      end = std::min(conditions.find(' ', begin), conditions.size());
      keys.push_back(conditions.substr(begin, end - begin));
    }
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) tree = {{*key, tree}, {"comm_size=any", other}};
    return leaf_of(tree, a_case(Collective::bcast, ranks, 8), nodes).contains("algorithm=here");
  };
  EXPECT_TRUE(holds("comm_size<8", 7, 7));
  EXPECT_FALSE(holds("comm_size<8", 8, 8)) << "asked when the communicator is made";
  EXPECT_TRUE(holds("avg_msg_size<=8 comm_size<8", 8, 8)) << "asked in the call, MPICH takes 8 for less";
  EXPECT_FALSE(holds("avg_msg_size<=8 comm_size<8", 9, 9));
  for (const int nodes : {1, 2, 8}) {
    EXPECT_EQ(holds("comm_hierarchy=parent", 8, nodes), nodes < 8) << nodes;
    EXPECT_EQ(holds("comm_hierarchy=node", 8, nodes), nodes == 8) << "whatever is no hierarchy";
    EXPECT_EQ(holds("is_node_consecutive=yes", 8, nodes), nodes == 2) << nodes;
  }
  EXPECT_TRUE(holds("comm_avg_ppn<3", 5, 2)) << "2.5";
  EXPECT_FALSE(holds("comm_avg_ppn<=2", 5, 2));
  EXPECT_TRUE(holds("comm_avg_ppn<=3", 5, 2));
  EXPECT_FALSE(holds("comm_avg_ppn<3", 6, 2));
}

}  // namespace
}  // namespace tutti
