// The file of cables: what its lines say, and which are refused.
#include "base/error.hpp"
#include "tests/topologies/check.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

using namespace test;

std::string list_refusal(const std::string& text) {
  try {
    parse_cables(text, "f.csv", cable);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CableList, NodesAndSwitchesAreNumberedAsTheyComeAndCablesKeepTheirFigures) {
  const CableList list = parse_cables(
      "# comment\nnode,a,s1\ncable,s1,s9\nnode,b,s9\r\ncable,s9,s2,3,2e9,5e-7\nroute,s9,a,s1\n", "f.csv", cable);
  EXPECT_EQ(list.nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(list.switches, (std::vector<std::string>{"s1", "s9", "s2"}));
  EXPECT_EQ(list.switch_of, (std::vector<int>{0, 1}));
  ASSERT_EQ(list.entries.size(), 2u);
  EXPECT_EQ(list.entries[0].cables, 1);
  EXPECT_EQ(list.entries[0].cable.bandwidth_bytes_per_second, cable.bandwidth_bytes_per_second);
  EXPECT_EQ(list.entries[1].cables, 3);
  EXPECT_EQ(list.entries[1].cable.bandwidth_bytes_per_second, 2e9);
  EXPECT_EQ(list.entries[1].cable.latency_seconds, 5e-7);
  EXPECT_EQ(list.forwards.size(), 1u);
}

TEST(CableList, RefusesBadLinesByNumber) {
  EXPECT_EQ(list_refusal(""), "f.csv:1: expected at least one line node,NAME,SWITCH");
  EXPECT_EQ(list_refusal("cable,a,b\n"), "f.csv:1: expected at least one line node,NAME,SWITCH");
  EXPECT_TRUE(list_refusal("node,a,s\nswitch,s\n").starts_with("f.csv:2: expected node,NAME,SWITCH or cable"));
  EXPECT_EQ(list_refusal("node,a,s\nnode,a,t\n"), "f.csv:2: expected a name that no node has yet");
  EXPECT_EQ(list_refusal("node,a,\n"), "f.csv:1: expected the name of a switch");
  EXPECT_EQ(list_refusal("node,a,s\ncable,s,s\n"), "f.csv:2: expected a cable between two different switches");
  EXPECT_TRUE(list_refusal("node,a,s\ncable,s,t,0\n").starts_with("f.csv:2: parallel cables"));
  EXPECT_TRUE(list_refusal("node,a,s\ncable,s,t,1x\n").starts_with("f.csv:2: parallel cables"));
  EXPECT_TRUE(list_refusal("node,a,s\ncable,s,t,1,1e9\n").starts_with("f.csv:2: expected node,NAME,SWITCH or cable"));
  EXPECT_TRUE(
      list_refusal("node,a,s\ncable,s,t\nrail,s,u\n").ends_with("expected switches that lines before have named"));
  EXPECT_TRUE(list_refusal("node,a,s\ncable,s,t\nrail,s,t,1\n").find("expected a cable of 0 to 0") !=
              std::string::npos);
  EXPECT_EQ(list_refusal("node,a,s\ncable,s,t\nrail,s,t\n"), "accepted");
  EXPECT_EQ(list_refusal(std::string("node,a,s\nnode,b\0,s\n", 19)), "f.csv:2: expected text, got a NUL byte");
}

TEST(CableList, RefusesFiguresThatNoCableHas) {
  for (const std::string bandwidth : {"nan", "inf", "-1", "0", "3", "1e16", "fast", ""})
    EXPECT_EQ(list_refusal("node,a,s\ncable,s,t,1," + bandwidth + ",0\n"),
              "f.csv:2: expected a bandwidth of 1e3 to 1e15 bytes per second");
  for (const std::string latency : {"nan", "inf", "-1", "1.5", "1.8e19", "3e-", ""})
    EXPECT_EQ(list_refusal("node,a,s\ncable,s,t,1,1e9," + latency + "\n"), "f.csv:2: expected a latency of 0 to 1 s");
}

TEST(CableList, AFileThatIsCutInsideItsLastLineIsRefused) {
  const std::string text = "node,a,s\nnode,b,t\ncable,s,t,12,5e9,3e-7\n";
  EXPECT_EQ(list_refusal(text), "accepted");
  for (std::size_t left = text.size() - 10; left < text.size(); ++left)
    EXPECT_TRUE(list_refusal(text.substr(0, left)).starts_with("f.csv:3: the file ends inside this line")) << left;
}

}  // namespace
}  // namespace tutti
