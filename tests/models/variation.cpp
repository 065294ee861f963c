#include "models/variation.hpp"

#include <gtest/gtest.h>

#include <set>

#include "models/failure.hpp"
#include "models/machine.hpp"
#include "models/machine_paths.hpp"
#include "tests/refusal.hpp"

namespace tutti {
namespace {

using nlohmann::json;

json at(const Variation& variation, const std::string& pointer) {
  return variation.root()[json::json_pointer(pointer)];
}

TEST(Variation, EveryPathOfEveryMachineCanBeSetToWhatItIsAndThatChangesNothing) {
  for (const std::string& name : machine_names()) {
    Variation variation(machine_text(name));
    for (const MachinePath& path : machine_paths(variation.root())) {
      const json::json_pointer pointer(path.pointer);
      if (!variation.root().contains(pointer)) continue;
      const json& value = variation.root()[pointer];
      variation.set(dotted(path.pointer), value.is_string() ? value.get<std::string>() : value.dump());
    }
    EXPECT_TRUE(variation.edits().empty()) << name << ": " << variation.edits().front().path;
    EXPECT_EQ(variation.root(), json::parse(machine_text(name)));
  }
}

TEST(Variation, EveryFigureOfTheModelHasAPath) {
  for (const std::string& name : machine_names()) {
    std::set<std::string> paths;
    for (const MachinePath& path : machine_paths(json::parse(machine_text(name)))) paths.insert(path.pointer);
    for (const Figure& figure : machine_figures(machine_text(name), name))
      EXPECT_TRUE(paths.contains(figure.pointer) || figure.pointer.starts_with("/calibration"))
          << name << figure.pointer;
  }
}

TEST(Variation, EveryWordOfTheModelHasAPath) {
  for (const std::string& name : machine_names()) {
    json machine = json::parse(machine_text(name));
    std::set<std::string> paths;
    for (const MachinePath& path : machine_paths(machine)) paths.insert(path.pointer);
    for (const char* remark : {"$schema", "name", "published", "fitted", "calibration"}) machine.erase(remark);
    const json flat = machine.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      const bool is_remark = pointer.find("/source") != std::string::npos ||
                             pointer.find("/guess") != std::string::npos || pointer.ends_with("/description");
      EXPECT_TRUE(!value.is_string() || is_remark || paths.contains(pointer)) << name << pointer;
    }
  }
  Variation variation(machine_text("lumi-g"));
  variation.set("node.nic_policy", "nearest");
  EXPECT_EQ(at(variation, "/node/nic_policy"), "nearest");
}

TEST(Variation, SetsByNumberPartAndForAllElements) {
  Variation variation(machine_text("example-cluster"));
  variation.set("network.fat_tree.layers.0.parents", "3");
  variation.set("transport.network.segments.*.latency_seconds", "+50%");
  variation.set("transport.network.eager_limit_bytes", "64K");
  variation.set("network.fat_tree.layers.0.shared", "false");  // left out in the file
  EXPECT_EQ(at(variation, "/network/fat_tree/layers/0/parents"), 3);
  EXPECT_DOUBLE_EQ(at(variation, "/transport/network/segments/0/latency_seconds").get<double>(), 300e-9);
  EXPECT_DOUBLE_EQ(at(variation, "/transport/network/segments/1/latency_seconds").get<double>(), 300e-9);
  EXPECT_EQ(at(variation, "/transport/network/eager_limit_bytes"), 65536);
  EXPECT_EQ(at(variation, "/network/fat_tree/layers/0/shared"), false);
  ASSERT_EQ(variation.edits().size(), 5u);
  EXPECT_EQ(variation.edits()[0].path, "network.fat_tree.layers.0.parents");
  EXPECT_EQ(variation.edits()[0].before, "2");
  EXPECT_EQ(variation.edits()[4].before, "");
  parse_machine(variation.text(), "varied");
}

TEST(Variation, UnknownPathsAreRefusedWithWhatIsThereAndWhatIsSpeltAlike) {
  Variation variation(machine_text("example-cluster"));
  const auto said = [&](const char* path, const char* value = "1") {
    return refusal([&] { variation.set(path, value); });
  };
  EXPECT_NE(said("network.fat_tree.layer.0.parents").find("has no layer: expected one of"), std::string::npos);
  EXPECT_NE(said("network.fat_tree.layer.0.parents").find("(did you mean layers?)"), std::string::npos);
  EXPECT_NE(said("parents").find("(did you mean network.fat_tree.layers.0.parents?)"), std::string::npos);
  EXPECT_NE(said("network.fat_tree").find("network.fat_tree has parts"), std::string::npos);
  EXPECT_NE(said("node.sockets.more").find("node.sockets, which is a figure"), std::string::npos);
  EXPECT_NE(said("name").find("has no name"), std::string::npos) << "it is no figure";
  EXPECT_NE(said("node.sockets", "2.5").find("expected a whole number"), std::string::npos);
  EXPECT_NE(said("node.sockets", "many").find("expected a number"), std::string::npos);
  EXPECT_NE(said("network.fat_tree.layers.0.parents", "-20%").find("expected a whole number, got 1.6"),
            std::string::npos);
  EXPECT_NE(said("network.fat_tree.routing", "ebmp").find("expected one of d-mod-k"), std::string::npos);
  EXPECT_TRUE(variation.edits().empty());
}

TEST(Variation, ATaperIsMadeOfWholeCables) {
  Variation variation(machine_text("example-cluster"));  // 4 x 12.5 GB/s down, 2 cables of 12.5 GB/s up
  variation.set_taper("leaf", 1);
  EXPECT_EQ(at(variation, "/network/fat_tree/layers/0/cables"), 2);
  Variation tapered(machine_text("example-cluster"));
  tapered.set_taper("leaf", 4);
  EXPECT_EQ(at(tapered, "/network/fat_tree/layers/0/parents"), 1);
  const std::string said = refusal([&] { Variation(machine_text("example-cluster")).set_taper("leaf", 3); });
  EXPECT_NE(said.find("no taper of 3:1 here; nearest is 4:1, by 1 cable"), std::string::npos) << said;
  EXPECT_NE(refusal([&] { tapered.set_taper("leef", 2); }).find("did you mean leaf?"), std::string::npos);
}

TEST(Variation, AdaptersAreSpreadOverTheNodeAndALoneMessageGoesWithThem) {
  Variation variation(machine_text("example-cluster"));  // 2 sockets, one adapter of 12.5 GB/s
  variation.set_adapters(2, 25e9);
  EXPECT_EQ(at(variation, "/node/nics").size(), 2u);
  EXPECT_EQ(at(variation, "/node/nics/1/domain"), 1);
  EXPECT_EQ(at(variation, "/node/nics/1/bandwidth_bytes_per_second"), 25e9);
  // 12 GB/s is 1 / (1 / 12.5 + 1 / 300): the adapter, and another stage.
  EXPECT_NEAR(at(variation, "/transport/network/segments/1/bandwidth_bytes_per_second").get<double>(),
              1 / (1 / 25e9 + 1 / 300e9), 1);
  parse_machine(variation.text(), "varied");
}

TEST(Variation, LevelsAreThoseOfTheMachine) {
  json root = json::parse(machine_text("leonardo-booster"));
  const json network = root["transport"]["network"];
  root["larger_jobs"] = {{"more_ranks_than", 256}, {"transport", {{"network", network}}}, {"source", "here"}};
  Variation variation(root.dump());
  const std::vector<std::string> levels = variation.levels();
  for (const char* level : {"leaf", "global", "nic", "memory", "cache", "network"})
    EXPECT_NE(std::find(levels.begin(), levels.end(), level), levels.end()) << level;
  const double before = at(variation, "/network/dragonfly_plus/global/latency_seconds").get<double>();
  variation.set_latency("global", "-20%");
  EXPECT_DOUBLE_EQ(at(variation, "/network/dragonfly_plus/global/latency_seconds").get<double>(), 0.8 * before);
  variation.set_latency("network", "-10%");
  EXPECT_GT(variation.edits().size(), 1 + network["segments"].size()) << "also of larger jobs";
  EXPECT_NE(refusal([&] { variation.set_bandwidth("gloabl", "+5%"); }).find("did you mean global?"), std::string::npos);
}

TEST(Variation, NodeIsAllThatIsInsideOneWhereAMachineHasNothingBetweenSocketsAlone) {
  const auto latency = [](const Variation& variation, const std::string& distance) {
    return at(variation, "/transport/" + distance + "/segments/0/latency_seconds").get<double>();
  };
  Variation all(machine_text("lumi-g")), own(machine_text("azure-hc"));
  const Variation before = all, own_before = own;
  all.set_latency("node", "-20%");
  for (const char* distance : {"cache", "numa", "socket"})
    EXPECT_DOUBLE_EQ(latency(all, distance), 0.8 * latency(before, distance)) << distance;
  EXPECT_EQ(latency(all, "network"), latency(before, "network"));
  own.set_latency("node", "-20%");
  EXPECT_DOUBLE_EQ(latency(own, "node"), 0.8 * latency(own_before, "node"));
  EXPECT_EQ(latency(own, "cache"), latency(own_before, "cache"));
}

TEST(Variation, WhereRoutingJoinsCablesATaperIsTheWidthOfTheTrunksAndOneCableCannotFail) {
  Variation variation(machine_text("leonardo-booster"));
  variation.set_taper("leaf", 4);  // 10 nodes of 25 GB/s over 18 cables
  EXPECT_DOUBLE_EQ(at(variation, "/network/dragonfly_plus/local/bandwidth_bytes_per_second").get<double>(),
                   250e9 / 4 / 18);
  ASSERT_EQ(variation.edits().size(), 1u);
  Failures failures{load_machine("leonardo-booster")};
  for (const char* what : {"cable:global", "switch:0"})
    EXPECT_NE(refusal([&] { add_failure(failures, what); }).find("adaptive"), std::string::npos) << what;
  add_failure(failures, "node:7");
  EXPECT_EQ(failures.nodes, std::vector<int>{7});
}

TEST(Variation, WhatAGroupOfManyNodesHasIsSaidWithoutPowersOfTen) {
  Variation variation(machine_text("lumi-g"));
  variation.set_taper("global", 2);
  EXPECT_EQ(variation.notes().front().find("taper 2:1 of global: 12800 GB/s lead down and 6400 GB/s up;"), 0u)
      << variation.notes().front();
}

}  // namespace
}  // namespace tutti
