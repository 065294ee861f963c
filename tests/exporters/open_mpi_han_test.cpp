// coll/han's file is read as the library reads it, whoever wrote it, and nothing stands for what is not known of it.
#include "exporters/open_mpi_han.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "selection/baselines.hpp"

namespace tutti {
namespace {

using enum Collective;

/// Empty: it was taken.
std::string fault(const std::string& text, Doubts* doubts = nullptr) {
  try {
    static_cast<void>(HanRules(text, "t.han", 1, doubts));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// "LINE KIND", in order; notes begin with "~".
std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> all;
  for (const LintFinding& each : lint(find_exporter("open-mpi-han"), text, "it")) {
    EXPECT_FALSE(each.what.empty() || each.matters.empty() || each.fix.empty()) << each.kind;
    all.push_back((each.note ? "~" : "") + std::to_string(each.line) + " " + each.kind);
  }
  return all;
}
using All = std::vector<std::string>;

/// What runs on 4 x 2: "tuned", "han", "simple", or what is refused.
std::string runs(const std::string& text, Collective collective, std::int64_t bytes) {
  const Case c{collective, 8, bytes, 1};
  try {
    const HanRow::By by = HanRules(text, "it").served_by(c);
    return by == HanRow::By::tuned ? "tuned" : by == HanRow::By::simple ? "simple" : "han";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(HanFile, IsRefusedWithItsLineWhereTheLibraryWouldNotTakeIt) {
  EXPECT_EQ(fault("1 bcast 1 global_communicator 1 1 1 0 tuned"), "");
  EXPECT_EQ(fault("1 bcast 1 global_communicator 1\n2 1 0 tuned"),
            "t.han:2: expected communicator sizes from 1 on, in ascending order");
  EXPECT_EQ(fault("1 bcast 1 global_communicator 1 1 1\n\n8 tuned"),
            "t.han:3: expected message sizes from 0 on, in ascending order");
  EXPECT_EQ(fault("1 bcast 1 global_communicator 1 1 1 0 xhc"),
            "t.han:1: expected a component of self, basic, libnbc, tuned, sm, adapt, han, and a blank behind it");
  EXPECT_EQ(fault("1 bcast 1 global_communicator 1 1 1 0 han@simple"), fault("1 bcast 1 2 1 1 1 0 xhc"))
      << "the library takes it for one word";
  EXPECT_EQ(
      fault("1 bcast 1 global_communicator 1 1 1 0 han @reproducible"),
      "t.han:1: expected the name or the number of an algorithm that coll/han has for bcast: default, intra, simple");
  EXPECT_EQ(fault("1 alltoall"), "t.han:1: expected the number of levels, a whole number from 0 on");
  EXPECT_EQ(fault("1 22 0"), "t.han:1: expected the name or the number of a collective");
  EXPECT_EQ(fault("1 bcast 1 node 1 1 1 0 tuned"),
            "t.han:1: expected intra_node, inter_node, global_communicator or its number");
  EXPECT_EQ(fault("1 bcast 1 3 0"), fault("1 bcast 1 node 0"));
  EXPECT_EQ(fault(""), "t.han:1: expected the number of collectives, a whole number from 1 on");
}

TEST(HanFile, ThatStopsInsideItsLastLineIsRefused) {
  const Exporter& exporter = find_exporter("open-mpi-han");
  const std::string text = "1 bcast 1 global_communicator 1 1 1 0 tuned";
  EXPECT_NO_THROW(exporter.read(text + "\n", "t.han"));
  EXPECT_THROW(exporter.read(text, "t.han"), InputError);
}

TEST(HanFile, WhatTheLibraryTakesAndHardlyAnybodyMeansIsRefusedWhereItIsFollowedAndFoundByLint) {
  const std::string begin = "1 bcast 1 global_communicator ";
  const std::pair<std::string, All> cases[] = {{begin + "1 1 1 0 tuned\n5", {"2 ignored"}},
                                               {begin + "1 1 2 0 tuned @simple\n8 han", {"1 number"}},
                                               {begin + "2 010 1 0 tuned", {"1 number", "1 unreadable"}},
                                               {begin + "3 1 1 0 tuned\n8 1 0 han\n4 1 0 tuned", {"3 overlap"}},
                                               {begin + "1 1 3 0 tuned\n8 han\n4 tuned", {"3 overlap"}},
                                               {"2 bcast 1 2 1 1 1 0 han\nbcast 1 2 1 1 1 0 tuned", {"2 overlap"}},
                                               {"1 bcast 2 2 1 1 1 0 han\n2 1 1 1 0 tuned", {"2 overlap"}}};
  for (const auto& [text, expected] : cases) {
    EXPECT_NE(fault(text), "") << text;
    EXPECT_EQ(found(text), expected) << text;
  }
}

TEST(HanFile, MayNameCollectivesAndLevelsByNumberAndSpreadOverLinesAsItLikes) {
  EXPECT_EQ(found("1 2 1 2 2 1 1 0 tuned 4 2 0 tuned 4096 han"), All{});
  EXPECT_EQ(runs("1 2 1 2 2 1 1 0 han 4 2 0 han 4096 tuned", allreduce, 4095), "han");
  EXPECT_EQ(runs("1 2 1 2 2 1 1 0 han 4 2 0 han 4096 tuned", allreduce, 4096), "tuned");
  EXPECT_EQ(runs("1 # one\nallreduce 1 global_communicator 1 1 1 0 tuned # all", allreduce, 8), "tuned");
  EXPECT_EQ(runs("1 allreduce 0", allreduce, 8), "han") << "says nothing of it";
  EXPECT_EQ(runs("1 allreduce 1 2 2 1 1 0 tuned 4 0", allreduce, 8), "han") << "no sizes: as without the file";
  EXPECT_EQ(runs("1 allreduce 1 2 1 1 1 1 tuned", allreduce, 0), "han") << "below the first size: as without the file";
  EXPECT_EQ(found("1 allreduce 1 2 1 1 1 1 tuned"), All{"~1 gap"});
  EXPECT_EQ(found("2 alltoall 1 2 1 1 1 0 tuned\nbcast 1 2 1 1 1 0 tuned"), All{"1 ignored"});
  EXPECT_EQ(found("1 bcast 1 2 1 1 2 0 tuned [64 128]\n8 han"), All{"~1 ignored"}) << "lengths of segments";
}

TEST(HanFile, NothingStandsForComponentsThatAreNotKnown) {
  const std::string sm = "1 bcast 1 2 1 1 3\n0 tuned\n8 sm\n64 han\n";
  EXPECT_EQ(found(sm), All{"~3 unknown"});
  EXPECT_EQ(runs(sm, bcast, 7), "tuned");
  EXPECT_EQ(runs(sm, bcast, 8),
            "it:3: expected tuned or han for bcast of 8 bytes on 8 ranks: what runs there by sm is not known to Tutti");
  EXPECT_EQ(runs(sm, bcast, 64), "han");
  EXPECT_EQ(runs(sm, allgather, 8), "han");
  const auto file = find_exporter("open-mpi-han").read(sm, "it");
  EXPECT_THROW(static_cast<void>(file->choice({bcast, 8, 8, 1}, evenly(4, 8))), InputError);
  EXPECT_EQ(file->choice({bcast, 8, 8, 1}, evenly(1, 8)), std::nullopt) << "coll/han is not there on one node";
}

TEST(HanFile, AnAlgorithmOfHanIsItsOwnChoiceOrNotKnown) {
  const auto with = [](const char* collective, const char* algorithm) {
    return "1 " + std::string(collective) + " 1 2 1 1 1\n0 han " + algorithm + "\n";
  };
  for (const char* own : {"@default", "@0", "@intra", "@ 1"})
    EXPECT_EQ(runs(with("bcast", own), bcast, 8), "han") << own;
  EXPECT_EQ(runs(with("gather", "@simple"), gather, 8), "han") << "what it does there by default";
  EXPECT_EQ(runs(with("barrier", "@1"), barrier, 0), "han");
  for (const auto& [collective, algorithm] :
       {std::pair{allreduce, "@simple"}, {reduce, "@2"}, {bcast, "@simple"}, {bcast, "@2"}}) {
    const std::string text = with(std::string(name_of(collective)).c_str(), algorithm);
    EXPECT_EQ(runs(text, collective, 8), "simple") << text;
    EXPECT_EQ(found(text), All{}) << text;
  }
  for (const auto& [collective, algorithm] :
       {std::pair{allreduce, "@3"}, {gather, "@intra"}, {allgather, "@simple"}, {scatter, "@2"}}) {
    const std::string text = with(std::string(name_of(collective)).c_str(), algorithm);
    EXPECT_EQ(runs(text, collective, 8).find("it:2: expected tuned or han for "), 0u) << text;
    EXPECT_EQ(found(text), All{"~2 unknown"}) << text;
  }
}

TEST(HanFile, ItsSimpleVariantAsksWhatRunsOnNodesAndBetweenThem) {
  const std::string text =
      "2 bcast 3 2 1 1 1 0 han @simple 1 1 1 1 0 basic 0 1 1 1 0 tuned reduce 2 2 1 1 1 0 han @simple 1 1 1 1 0 tuned";
  EXPECT_EQ(runs(text, bcast, 8).find("it:1: expected tuned, since coll/han may run what stands here inside bcast"),
            0u);
  EXPECT_EQ(runs(text, reduce, 8), "simple");
}

TEST(HanFile, WhatItSaysOfNodesCountsWhereHanAsksForIt) {
  const std::string text =
      "2 bcast 2 intra_node 1 1 2 0 tuned\n8 sm\ninter_node 1 1 1 0\nbasic\nreduce 1 0 1 1 1 0\nsm";
  EXPECT_EQ(found(text), (All{"~2 unknown", "~3 ignored", "~5 ignored"}));
  EXPECT_EQ(runs(text, bcast, 8), "han") << "its broadcast runs coll/tuned inside, whatever the file says";
  EXPECT_EQ(runs(text, allreduce, 8), "han");
  EXPECT_EQ(
      runs(text, allgather, 8),
      "it:2: expected tuned, since coll/han may run what stands here inside allgather on 8 ranks: what runs by sm "
      "is not known to Tutti");
  EXPECT_EQ(found("1 bcast 2 2 1 1 1 0 tuned\n0 1 1 1 0 han"), All{"2 ignored"}) << "it runs nothing on a node";
  EXPECT_EQ(runs("1 allgather 1 2 1 1 1 0 tuned", allgather, 8), "tuned") << "coll/han does not run it";
  EXPECT_EQ(runs("1 bcast 2 0 1 1 1 0 tuned 2 1 1 1 0 han", allgather, 8), "han") << "as without the file";
}

}  // namespace
}  // namespace tutti
