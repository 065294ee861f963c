#include "models/failure.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/refusal.hpp"

namespace tutti {
namespace {

using nlohmann::json;

TEST(Failures, OfNodesSwitchesAndCablesAreSaidAndWhatIsNotThereIsRefused) {
  const Machine machine = load_machine("example-cluster");
  EXPECT_EQ(failure_of(machine, "node:3").nodes, std::vector<int>{3});
  EXPECT_EQ(failure_of(machine, "switch:1").nodes, (std::vector<int>{4, 5, 6, 7}));
  EXPECT_TRUE(failure_of(machine, "switch:4").nodes.empty()) << "a switch above the leaves";
  EXPECT_NE(failure_of(machine, "cable:leaf").machine.network, machine.network);
  for (const char* wrong : {"node:16", "node:", "switch:6", "cable", "cable:global", "cable:leaf:8", "rack:1"})
    EXPECT_NE(refusal([&] { failure_of(machine, wrong); }).find("expected"), std::string::npos) << wrong;
}

TEST(Failures, OfACableThatNobodySharesAreRefused) {
  json root = json::parse(machine_text("example-cluster"));
  root["network"]["fat_tree"]["layers"][0]["shared"] = false;
  const Machine machine = parse_machine(root.dump(), "unshared");
  EXPECT_NE(refusal([&] { failure_of(machine, "cable:leaf"); }).find("change no predicted time"), std::string::npos);
  EXPECT_NE(refusal([&] { failure_of(machine, "switch:4"); }).find("change no predicted time"), std::string::npos);
  EXPECT_EQ(failure_of(machine, "switch:0").nodes.size(), 4u);
}

TEST(Failures, WhoseNodesNoWayLeadsToAreNamed) {
  const Machine machine = load_machine("example-cluster");
  const std::vector<int> first_two = {0, machine.network->cores_per_node()},
                         both_leaves = {0, 4 * machine.network->cores_per_node()};
  EXPECT_NO_THROW(check_ways(*machine.network, both_leaves));
  const Machine broken = failure_of(machine, "switch:1").machine;
  EXPECT_NO_THROW(check_ways(*broken.network, first_two));
  EXPECT_NE(refusal([&] { check_ways(*broken.network, both_leaves); }).find("node 4"), std::string::npos)
      << refusal([&] { check_ways(*broken.network, both_leaves); });
}

}  // namespace
}  // namespace tutti
