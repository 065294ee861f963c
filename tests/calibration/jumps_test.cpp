#include "calibration/jumps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "topologies/first_nodes.hpp"

namespace tutti {
namespace {

using nlohmann::json;

std::vector<Jump> jumps_of(const std::string& text) {
  return find_jumps(parse_machine(text, "m.json"), text, "m.json", {false, 2});
}

/// The example with one limit of its network's transport.
json with_eager_limit(std::int64_t bytes, double rendezvous_seconds, bool guess) {
  json root = json::parse(machine_text("example-cluster"));
  json& network = root["transport"]["network"];
  network["eager_limit_bytes"] = bytes;
  network["rendezvous_seconds"] = rendezvous_seconds;
  if (guess)
    network["guess"] = json::array({"eager_limit_bytes"});
  else
    network.erase("guess");
  return root;
}

TEST(Jumps, TheirProgressIsThatOfTheWork) {
  const std::string text = machine_text("example-cluster");
  std::vector<std::pair<std::clock_t, double>> said;
  JumpScan scan{false, 1};
  scan.progress = [&](std::size_t done, std::size_t total, const std::function<double()>& part) {
    EXPECT_EQ(total, 36U);
    EXPECT_EQ(done, said.size() + 1);
    said.emplace_back(std::clock(), part());
  };
  const std::clock_t begun = std::clock();
  find_jumps(parse_machine(text, "m.json"), text, "m.json", scan);
  ASSERT_EQ(said.size(), 36U);
  EXPECT_EQ(said.back().second, 1);
  for (const auto& [at, part] : said) {
    if (part < 0.4 || part > 0.6) continue;
    EXPECT_NEAR(static_cast<double>(at - begun) / static_cast<double>(said.back().first - begun), part, 0.2);
  }
}

TEST(Jumps, AreFoundToTheByteWithTheFigureBehindThemAndItsSource) {
  const std::vector<Jump> jumps = jumps_of(with_eager_limit(5000, 1e-3, true).dump());
  const auto found = std::find_if(jumps.begin(), jumps.end(), [](const Jump& jump) {
    return jump.collective == Collective::bcast && jump.algorithm == "linear" && jump.nodes == 2;
  });
  ASSERT_NE(found, jumps.end());
  EXPECT_EQ(found->from_bytes, 5000);
  EXPECT_EQ(found->to_bytes, 5001);
  EXPECT_GT(found->to_seconds, found->from_seconds + 0.9e-3);
  EXPECT_EQ(found->figure, "/transport/network/eager_limit_bytes = 5000");
  EXPECT_FALSE(found->source.empty());
  EXPECT_TRUE(found->guessed);
}

TEST(Jumps, OfAFigureWithASourceAreExplained) {
  const std::vector<Jump> jumps = jumps_of(with_eager_limit(5000, 1e-3, false).dump());
  EXPECT_TRUE(std::any_of(jumps.begin(), jumps.end(), [](const Jump& jump) {
    return jump.figure == "/transport/network/eager_limit_bytes = 5000" && !jump.guessed;
  }));
}

TEST(Jumps, AreNotPutDownToTheSegmentBesideTheirs) {
  json root = with_eager_limit(1, 0, false);
  root["transport"]["network"]["segments"] =
      json::array({{{"up_to_bytes", 1000}, {"latency_seconds", 1e-6}, {"bandwidth_bytes_per_second", 1e9}},
                   {{"up_to_bytes", 5000}, {"latency_seconds", 1e-6}, {"bandwidth_bytes_per_second", 1e9}},
                   {{"latency_seconds", 1e-3}, {"bandwidth_bytes_per_second", 1e9}}});
  const std::vector<Jump> jumps = jumps_of(root.dump());
  const auto found = std::find_if(jumps.begin(), jumps.end(),
                                  [](const Jump& jump) { return jump.nodes == 2 && jump.to_seconds > 1e-3; });
  ASSERT_NE(found, jumps.end());
  EXPECT_EQ(found->figure, "/transport/network/segments/1/up_to_bytes = 5000");
}

TEST(Jumps, FromOneKindOfJobToALargerOneNameTheFigureThatDiffers) {
  json root = json::parse(machine_text("example-cluster"));
  json network = root["transport"]["network"];
  network["gap_seconds"] = 1e-4;
  network["guess"] = json::array({"gap_seconds"});
  root["larger_jobs"] = {{"more_ranks_than", 8}, {"transport", {{"network", network}}}, {"source", "here"}};
  const std::vector<Jump> jumps = jumps_of(root.dump());
  const auto found = std::find_if(jumps.begin(), jumps.end(),
                                  [](const Jump& jump) { return jump.from_ranks == 8 && jump.to_ranks == 9; });
  ASSERT_NE(found, jumps.end());
  EXPECT_EQ(found->figure, "/larger_jobs/transport/network/gap_seconds = 0.0001");
  EXPECT_TRUE(found->guessed);
}

TEST(Jumps, ToLargerJobsAreFoundWhereTheseHaveMoreRanksThanThereAreNodes) {
  json root = json::parse(machine_text("example-cluster"));
  json network = root["transport"]["network"];
  network["gap_seconds"] = 1e-4;
  root["larger_jobs"] = {{"more_ranks_than", 32}, {"transport", {{"network", network}}}, {"source", "here"}};
  const std::vector<Jump> jumps = jumps_of(root.dump());
  EXPECT_TRUE(std::any_of(jumps.begin(), jumps.end(), [](const Jump& jump) {
    return jump.from_ranks == 32 && jump.nodes == 11 && jump.ppn == 3 && jump.to_ranks == 33;
  }));
}

TEST(Jumps, ToLargerJobsNameOneOfSeveralDifferences) {
  json root = json::parse(machine_text("example-cluster"));
  root["larger_jobs"] = {
      {"more_ranks_than", 8},
      {"transport",
       {{"network",
         {{"connection_limit", {{"bandwidth_bytes_per_second", 1e13}, {"source", "no limit"}}},
          {"peer_change",
           {{"send_gap_seconds", 1e-4}, {"receive_gap_seconds", 0}, {"source", "slow"}, {"guess", true}}},
          {"source", "there"}}}}},
      {"source", "here"}};
  const std::vector<Jump> jumps = jumps_of(root.dump());
  const auto found = std::find_if(jumps.begin(), jumps.end(), [](const Jump& jump) {
    return jump.algorithm == "linear" && jump.from_ranks == 8 && jump.to_ranks == 9;
  });
  ASSERT_NE(found, jumps.end());
  EXPECT_TRUE(found->figure.starts_with("/larger_jobs/transport/network/peer_change/")) << found->figure;
  EXPECT_EQ(found->source, "slow");
  EXPECT_TRUE(found->guessed);
}

TEST(Jumps, FromTheLastNodeOfALeafToTheNextNameTheCableThatCostsIt) {
  json root = json::parse(machine_text("example-cluster"));
  json& cable = root["network"]["fat_tree"]["layers"][0];
  cable["latency_seconds"] = 1e-5;
  cable["source"] = "slow";
  for (const bool is_guess : {true, false}) {
    cable["guess"] = is_guess;
    const std::vector<Jump> jumps = jumps_of(root.dump());
    const auto found = std::find_if(jumps.begin(), jumps.end(), [](const Jump& jump) {
      return jump.boundary == "leaf" && jump.algorithm == "binomial" && jump.to_bytes == 8;
    });
    ASSERT_NE(found, jumps.end());
    EXPECT_EQ(found->nodes, 4);
    EXPECT_NEAR(found->to_seconds - found->from_seconds, 2e-5, 1e-5);
    EXPECT_TRUE(found->figure.starts_with("/network/fat_tree/layers/0/latency_seconds = ")) << found->figure;
    EXPECT_EQ(found->source, "slow");
    EXPECT_EQ(found->guessed, is_guess);
  }
}

TEST(Jumps, BetweenTwoCoresAreFoundAtEveryDistance) {
  json root = json::parse(machine_text("example-cluster"));
  json& node = root["transport"]["node"];
  node["segments"][1]["latency_seconds"] = 1e-4;
  node["guess"] = true;
  const std::string text = root.dump();
  Machine machine = parse_machine(text, "m.json");
  machine.network = first_nodes(machine.network, 1);
  const std::vector<Jump> jumps = find_jumps(machine, text, "m.json", {true, 2});
  EXPECT_TRUE(std::any_of(jumps.begin(), jumps.end(), [](const Jump& jump) {
    return jump.distance == Distance::node && jump.ppn == 2 && jump.from_bytes == 4096 && jump.guessed;
  }));
}

/// Of all algorithms on more layouts: the tests named sane.
TEST(Jumps, OfEveryMachineHaveACauseWithASource) {
  for (const std::string& name : machine_names())
    for (const Jump& jump : find_jumps(load_machine(name), machine_text(name), name, {false, 1}))
      EXPECT_FALSE(jump.guessed) << name << ": " << name_of(jump.collective) << " " << jump.algorithm << " on "
                                 << jump.nodes << " x " << jump.ppn << ", " << jump.from_bytes << " bytes "
                                 << jump.from_seconds * 1e6 << " us, " << jump.to_bytes << " bytes "
                                 << jump.to_seconds * 1e6 << " us: " << jump.figure;
}

}  // namespace
}  // namespace tutti
