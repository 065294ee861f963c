#include "models/failure.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/refusal.hpp"
#include "topologies/failed_cables.hpp"

namespace tutti {
namespace {

using nlohmann::json;

Failures after(const Machine& machine, const std::vector<std::string>& all) {
  Failures failures{machine};
  for (const std::string& what : all) add_failure(failures, what);
  return failures;
}

TEST(Failures, OfNodesSwitchesAndCablesAreSaidAndWhatIsNotThereIsRefused) {
  const Machine machine = load_machine("example-cluster");
  EXPECT_EQ(after(machine, {"node:3"}).nodes, std::vector<int>{3});
  EXPECT_EQ(after(machine, {"switch:1"}).nodes, (std::vector<int>{4, 5, 6, 7}));
  EXPECT_TRUE(after(machine, {"switch:4"}).nodes.empty()) << "a switch above the leaves";
  EXPECT_NE(after(machine, {"cable:leaf"}).machine.network, machine.network);
  for (const char* wrong : {"node:16", "node:", "switch:6", "cable", "cable:global", "cable:leaf:8", "rack:1"})
    EXPECT_NE(refusal([&] { after(machine, {wrong}); }).find("expected"), std::string::npos) << wrong;
}

TEST(Failures, TakeEveryCableOnceAndWithoutANumberTheFirstThatIsInOrder) {
  const Machine machine = load_machine("example-cluster");
  const auto at_leaf = cables_of(machine.network->fabric(), "leaf");
  const auto links_of = [&](std::vector<std::size_t> cables) {
    std::vector<LinkId> links;
    for (const std::size_t i : cables) links.insert(links.end(), {at_leaf[i].first, at_leaf[i].second});
    return links;
  };
  EXPECT_EQ(after(machine, {"cable:leaf", "cable:leaf"}).links, links_of({0, 1}));
  EXPECT_EQ(after(machine, {"cable:leaf:0", "cable:leaf:5", "cable:leaf"}).links, links_of({0, 5, 1}));
  EXPECT_EQ(after(machine, {"switch:4", "cable:leaf"}).links.size(), 10u) << "four cables at the switch, and another";
  EXPECT_EQ(after(machine, {"node:3", "switch:0"}).nodes, (std::vector<int>{3, 0, 1, 2}));
  const std::vector<std::vector<std::string>> all_twice{
      {"cable:leaf:2", "cable:leaf:2"}, {"cable:leaf", "cable:leaf:0"}, {"node:3", "node:3"},
      {"switch:0", "node:3"},           {"switch:4", "switch:4"},       {"switch:0", "switch:0"}};
  for (const std::vector<std::string>& twice : all_twice)
    EXPECT_EQ(refusal([&] { after(machine, twice); }), "it is out of order already") << twice.back();
  EXPECT_EQ(refusal([&] { after(machine, std::vector<std::string>(9, "cable:leaf")); }),
            "all cables of leaf are out of order already");
}

TEST(Failures, OfACableThatNobodySharesAreRefused) {
  json root = json::parse(machine_text("example-cluster"));
  root["network"]["fat_tree"]["layers"][0]["shared"] = false;
  const Machine machine = parse_machine(root.dump(), "unshared");
  EXPECT_NE(refusal([&] { after(machine, {"cable:leaf"}); }).find("change no predicted time"), std::string::npos);
  EXPECT_NE(refusal([&] { after(machine, {"switch:4"}); }).find("change no predicted time"), std::string::npos);
  EXPECT_EQ(after(machine, {"switch:0"}).nodes.size(), 4u);
}

TEST(Failures, WhoseNodesNoWayLeadsToAreNamed) {
  const Machine machine = load_machine("example-cluster");
  const std::vector<int> first_two = {0, machine.network->cores_per_node()},
                         both_leaves = {0, 4 * machine.network->cores_per_node()};
  EXPECT_NO_THROW(check_ways(*machine.network, both_leaves));
  const Machine broken = after(machine, {"switch:1"}).machine;
  EXPECT_NO_THROW(check_ways(*broken.network, first_two));
  EXPECT_NE(refusal([&] { check_ways(*broken.network, both_leaves); }).find("node 4"), std::string::npos)
      << refusal([&] { check_ways(*broken.network, both_leaves); });
}

}  // namespace
}  // namespace tutti
