#include "models/contention.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/machine.hpp"

namespace tutti {
namespace {

using nlohmann::json;

FabricLevels levels_of(const std::string& machine) { return fabric_levels(*load_machine(machine).network); }

std::string machine_with(const std::string& machine, const std::string& pointer, const json& value) {
  json root = json::parse(machine_text(machine));
  root[json::json_pointer(pointer)] = value;
  return root.dump(1);
}

TEST(Contention, OfTheThreeSupercomputersFlowsShareAllCablesUnderAdaptiveRoutingAndThatIsSaid) {
  for (const char* name : {"lumi-g", "leonardo-booster", "marenostrum5-acc"}) {
    EXPECT_STREQ(contention_word(levels_of(name)), "full") << name;
    EXPECT_TRUE(contention_note(levels_of(name)).starts_with("fabric shared; routing is adaptive, taken as ideal"))
        << name;
    EXPECT_NE(load_machine(name).description.find("Routing is adaptive, taken as ideal"), std::string::npos) << name;
  }
  EXPECT_STREQ(contention_word(levels_of("example-cluster")), "full");
  EXPECT_EQ(contention_note(levels_of("example-cluster")), "");
}

TEST(Contention, AFabricOfWhichSomeCablesAreSharedIsPartlyWithout) {
  const Machine machine =
      parse_machine(machine_with("marenostrum5-acc", "/network/fat_tree/layers/0/shared", false), "part.json");
  const FabricLevels levels = fabric_levels(*machine.network);
  EXPECT_STREQ(contention_word(levels), "partial");
  EXPECT_EQ(levels.unshared, (std::vector<std::string>{"leaf-up", "leaf-down"}));
  EXPECT_TRUE(contention_note(levels).starts_with("fabric partly without contention: ")) << contention_note(levels);
}

TEST(Contention, AFabricOfWhichNoCableIsSharedIsWithout) {
  json root = json::parse(machine_text("leonardo-booster"));
  for (const char* cable : {"local", "global"}) root["network"]["dragonfly_plus"][cable]["shared"] = false;
  const FabricLevels levels = fabric_levels(*parse_machine(root.dump(1), "m.json").network);
  EXPECT_STREQ(contention_word(levels), "none");
  EXPECT_TRUE(contention_note(levels).starts_with("fabric without contention: each flow gets"))
      << contention_note(levels);
}

TEST(Contention, ATaperThatChangesNothingIsNamedByLineAndPointer) {
  json root = json::parse(machine_text("marenostrum5-acc"));
  root["network"]["fat_tree"]["layers"][0]["parents"] = 4;
  root["network"]["fat_tree"]["layers"][0]["shared"] = false;
  const std::string tapered = root.dump(1);
  const std::vector<std::string> lines = idle_changes(tapered, "m.json");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("m.json:")) << lines[0];
  EXPECT_NE(lines[0].find(": /network/fat_tree/layers/0: cables 4, parents 4 changes no predicted time"),
            std::string::npos)
      << lines[0];
  EXPECT_NE(idle_changes(machine_with("lumi-g", "/network/dragonfly/global/shared", false), "m.json")
                .at(0)
                .find("global_cables 20"),
            std::string::npos);
  EXPECT_EQ(
      idle_changes(machine_with("leonardo-booster", "/network/dragonfly_plus/local/shared", false), "m.json").size(),
      1u);
}

TEST(Contention, WhatIsAsEmbeddedOrSharedIsNoMatterOfAWarning) {
  for (const std::string& name : machine_names()) EXPECT_TRUE(idle_changes(machine_text(name), name).empty()) << name;
  EXPECT_TRUE(idle_changes(machine_with("leonardo-booster", "/name", "other"), "m.json").empty());
  json root = json::parse(machine_text("marenostrum5-acc"));
  root["network"]["fat_tree"]["layers"][0]["parents"] = 4;
  root["network"]["fat_tree"]["layers"][0]["shared"] = true;
  EXPECT_TRUE(idle_changes(root.dump(1), "m.json").empty());
}

}  // namespace
}  // namespace tutti
