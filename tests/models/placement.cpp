#include "models/placement.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "models/machine.hpp"
#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

constexpr Channel cable{1e9, 1e-7};

// 2 groups x 3 leaves x 2 nodes x 4 cores.
std::unique_ptr<Network> network() {
  NodeShape node;
  node.cores_per_cache = 4;
  node.nics = {{0, cable, std::nullopt}};
  return std::make_unique<Network>(node, std::make_unique<FatTree>(FatTreeShape{
                                             .nodes_per_leaf = 2, .layers = {{3, 2, 1, cable}, {2, 2, 1, cable}}}));
}

std::string placement_refusal(const std::string& text, const PlacementExpected& expected = {}) {
  try {
    parse_placement(text, "p.csv", *network(), expected);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Placement, BlockFillsNodeAfterNode) {
  EXPECT_EQ(place_block(*network(), 7, 3), (std::vector<int>{0, 1, 2, 4, 5, 6, 8}));
  EXPECT_EQ(place_block(*network(), 1, 1), (std::vector<int>{0}));
}

TEST(Placement, CyclicDealsOutToTheSameNodes) {
  EXPECT_EQ(place_cyclic(*network(), 7, 3), (std::vector<int>{0, 4, 8, 1, 5, 9, 2}));
}

TEST(Placement, BothGiveEveryRankItsOwnCoreAtEveryCount) {
  for (int ranks = 1; ranks <= 48; ++ranks)
    for (int ppn = (ranks + 11) / 12; ppn <= 4; ++ppn)
      for (const std::vector<int>& cores :
           {place_block(*network(), ranks, ppn), place_cyclic(*network(), ranks, ppn)}) {
        const std::set<int> different(cores.begin(), cores.end());
        EXPECT_EQ(different.size(), static_cast<std::size_t>(ranks));
        EXPECT_LT(*different.rbegin(), 48);
      }
}

TEST(Placement, WhatDoesNotFitIsRefused) {
  for (const auto& [ranks, ppn] :
       std::vector<std::pair<int, int>>{{0, 1}, {-1, 1}, {1, 0}, {1, 5}, {13, 1}, {49, 4}, {2147483647, 4}}) {
    EXPECT_THROW(place_block(*network(), ranks, ppn), InputError) << ranks << " " << ppn;
    EXPECT_THROW(place_cyclic(*network(), ranks, ppn), InputError) << ranks << " " << ppn;
  }
}

TEST(Placement, NamesTakeTheMachinesPlacesInOrderOfAppearance) {
  const auto place = [](const std::string& text) { return parse_placement(text, "p.csv", *network()); };
  EXPECT_EQ(place("rank,node\n0,x\n1,y\n2,x\n"), (std::vector<int>{0, 4, 1}));
  EXPECT_EQ(place("2,x\n1,y\n0,x\n"), (std::vector<int>{1, 4, 0}));
  EXPECT_EQ(place("rank,node,group\r\n0,x,g2\r\n1,y,g1\r\n2,z,g2\r\n"), (std::vector<int>{0, 24, 4}));
  EXPECT_EQ(place("0,x,g2,l9\n1,y,g1,l1\n2,z,g2,l3\n3,u,g2,l9\n4,v,g1,l1\n"), (std::vector<int>{0, 24, 8, 4, 28}));
}

TEST(Placement, LevelsThatTheNetworkLacksAreIgnored) {
  NodeShape node;
  node.nics = {{0, cable, std::nullopt}};
  const Network flat(node, std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 3, .layers = {}}));
  EXPECT_EQ(parse_placement("0,x,g,l\n1,y,h,m\n2,z,i,n\n", "p.csv", flat), (std::vector<int>{0, 1, 2}));
}

TEST(Placement, BadFilesAreRefusedByLine) {
  EXPECT_EQ(placement_refusal(""), "p.csv:1: expected lines rank,node[,group[,leaf]]");
  EXPECT_EQ(placement_refusal("rank,node\n"), "p.csv:1: expected lines rank,node[,group[,leaf]]");
  EXPECT_EQ(placement_refusal("0\n"), "p.csv:1: expected rank,node[,group[,leaf]]");
  EXPECT_EQ(placement_refusal("0,a,b,c,d\n"), "p.csv:1: expected rank,node[,group[,leaf]]");
  EXPECT_EQ(placement_refusal("0,a\n1,b,g\n"), "p.csv:2: expected 2 columns as in the first line, got 3");
  EXPECT_EQ(placement_refusal("0,a\n\n1,b\n"), "p.csv:2: expected 2 columns as in the first line, got 1");
  EXPECT_EQ(placement_refusal("0,a\n1,\n"), "p.csv:2: expected no empty field");
  EXPECT_EQ(placement_refusal("0,a\nx,b\n"), "p.csv:2: expected a rank of 0 or more, got \"x\"");
  EXPECT_EQ(placement_refusal("0,a\n-1,b\n"), "p.csv:2: expected a rank of 0 or more, got \"-1\"");
  EXPECT_EQ(placement_refusal("0,a\n99999999999,b\n"), "p.csv:2: expected a rank of 0 or more, got \"99999999999\"");
  EXPECT_EQ(placement_refusal("0,a\n0,b\n"), "p.csv:2: expected each rank once, got 0 again");
  EXPECT_EQ(placement_refusal("0,a\n2,b\n"), "p.csv:2: expected all ranks of 0 to 2, 1 is missing");
  EXPECT_EQ(placement_refusal(std::string("0,a\n1,b\0\n", 9)), "p.csv:2: expected text, got a NUL byte");
}

TEST(Placement, AByteOrderMarkIsPassedOver) {
  EXPECT_EQ(placement_refusal("\xEF\xBB\xBFrank,node\r\n0,a\r\n1,b\r\n"), "accepted");
  EXPECT_EQ(placement_refusal("\xEF\xBB\xBF"
                              "0,a\n"),
            "accepted");
}

TEST(Placement, AFileThatIsCutInsideItsLastLineIsRefused) {
  const std::string text = "0,n1\n1,n1\n2,n12\n";
  EXPECT_EQ(placement_refusal(text), "accepted");
  for (std::size_t left = text.size() - 5; left < text.size(); ++left)
    EXPECT_TRUE(placement_refusal(text.substr(0, left)).starts_with("p.csv:3: the file ends inside this line")) << left;
}

TEST(Placement, MoreThanTheMachineHasIsRefusedByLine) {
  EXPECT_EQ(placement_refusal("0,a\n1,a\n2,a\n3,a\n4,a\n"),
            "p.csv:5: expected at most 4 ranks on node a, the cores of a node");
  std::string text;
  for (int rank = 0; rank < 13; ++rank) text += std::to_string(rank) + ",n" + std::to_string(rank) + "\n";
  EXPECT_EQ(placement_refusal(text), "p.csv:13: expected at most 12 nodes in the machine");
  EXPECT_EQ(placement_refusal("0,a,g\n1,b,h\n2,c,i\n"),
            "p.csv:3: expected no further group than the machine's 2 here, got i");
  EXPECT_EQ(placement_refusal("0,a,g,k\n1,b,g,l\n2,c,g,m\n3,d,g,n\n"),
            "p.csv:4: expected no further leaf than the machine's 3 here, got n");
  EXPECT_EQ(placement_refusal("0,a,g,k\n1,b,g,k\n2,c,g,k\n"), "p.csv:3: expected at most 2 nodes in leaf k");
}

TEST(Placement, ANameInTwoPlacesIsRefused) {
  EXPECT_EQ(placement_refusal("0,a,g\n1,a,h\n"), "p.csv:2: expected node a in the same group and leaf as before");
  EXPECT_EQ(placement_refusal("0,\"a\"\n"), "p.csv:1: expected names without quotes");
  EXPECT_EQ(placement_refusal("rank,node,leaf\n0,a,l\n"),
            "p.csv:1: expected rank,node[,group[,leaf]] or rank,node,x[,y[,z]], got the column 'leaf'");
  EXPECT_EQ(placement_refusal("rank,node,x\n0,a,q\n"), "p.csv:2: expected a coordinate of 0 or more, got \"q\"");
  EXPECT_EQ(placement_refusal("0,a,g,l\n1,b,h,l\n"), "p.csv:2: expected leaf l in the same group as before");
}

TEST(Placement, AFileMustAgreeWithWhatIsGivenBesideIt) {
  const std::string text = "0,a\n1,a\n2,b\n";
  EXPECT_EQ(placement_refusal(text, {.ranks = 3, .nodes = 2, .ppn = 2}), "accepted");
  EXPECT_EQ(placement_refusal(text, {.ranks = 4, .nodes = {}, .ppn = {}}),
            "p.csv:3: expected 4 ranks as given beside the placement, got 3");
  EXPECT_NE(placement_refusal(text, {.ranks = {}, .nodes = 3, .ppn = {}}).find("3 nodes"), std::string::npos);
  EXPECT_NE(placement_refusal(text, {.ranks = {}, .nodes = {}, .ppn = 1}).find("1 ranks per node"), std::string::npos);
}

TEST(Placement, CoordinatesArePlacesOfTheJobsTorus) {
  const Machine fugaku = load_machine("fugaku");
  const std::string all = "rank,node,x,y\n0,a,0,0\n1,b,0,1\n3,d,1,1\n2,c,1,0\n";
  const std::vector<int> cores = parse_placement(all, "p.csv", *fugaku.network);
  EXPECT_EQ(cores, (std::vector<int>{0, 8 * 48, 48, 9 * 48})) << "x along the first dimension, y along the second";
  const auto refused = [&](const std::string& text) {
    try {
      parse_placement(text, "p.csv", *fugaku.network);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("rank,node,x\n0,a,0\n1,b,0\n"),
            "p.csv:3: expected one place for each node, b is in another's or in two");
  EXPECT_EQ(refused("rank,node,x\n0,a,0\n1,a,1\n"),
            "p.csv:3: expected one place for each node, a is in another's or in two");
  EXPECT_EQ(refused("rank,node,x\n0,a,y\n"), "p.csv:2: expected a coordinate of 0 or more, got \"y\"");
}

TEST(Placement, BySocketDealsOutTheRanksOfANode) {
  const Machine thin = load_machine("orfeo-thin");  // two sockets of 12 cores
  EXPECT_EQ(place_by_socket(*thin.network, 5, 3), (std::vector<int>{0, 12, 1, 24, 36}));
}

TEST(Placement, AnUnreadableFileIsRefused) {
  EXPECT_THROW(read_placement("/no/such/file", *network()), InputError);
  EXPECT_THROW(read_placement("/", *network()), InputError);
}

TEST(Placement, RealPlacementsFitTheMachinesTheyAreFrom) {
  const char* given = std::getenv("TUTTI_SHARED");
  const std::filesystem::path shared = given ? given : TUTTI_SOURCE_DIR "/../shared";
  const std::filesystem::path folder = shared / "data/collectives/placements";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no measured placements in " << folder;
  const std::map<std::string, std::string> machines{
      {"leonardo", "leonardo-booster"}, {"lumi", "lumi-g"}, {"mare_nostrum", "marenostrum5-acc"}};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    const Machine machine = load_machine(machines.at(file.substr(0, file.find("__"))));
    const std::vector<int> cores = read_placement(entry.path().string(), *machine.network);
    EXPECT_EQ(std::set<int>(cores.begin(), cores.end()).size(), cores.size()) << file;
    ++files;
  }
  EXPECT_GE(files, 20);
}

}  // namespace
}  // namespace tutti
