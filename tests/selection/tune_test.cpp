#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "selection/candidates.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

using test::NotingEngine;
using test::small_request;

std::string table_text(const TuneRequest& request) { return to_json_text(tune(request)); }

TEST(Tune, OneAndSeveralJobsGiveTheSameBytes) {
  TuneRequest request = small_request();
  const std::string alone = table_text(request);
  for (const int jobs : {2, 5}) {
    request.jobs = jobs;
    EXPECT_EQ(table_text(request), alone);
  }
}

TEST(Tune, HasACellForEveryPlaceAndSizeAndRulesWithinTheBound) {
  TuneRequest request = small_request();
  request.bound = 0.1;
  const Table table = tune(request);
  EXPECT_EQ(table.cells.size(), 2 * 2 * (5 * 3 + 1u));
  EXPECT_EQ(table.left_out, 0);
  bool one_place_has_several = false;
  for (std::size_t i = 0; i < table.rules.size(); ++i) {
    const Rule& rule = table.rules[i];
    ASSERT_TRUE(rule.regret);
    EXPECT_LE(*rule.regret, request.bound);
    one_place_has_several = one_place_has_several || rule.from_bytes > 0;
    double worst = 0;
    for (const Cell& cell : table.cells) {
      if (cell.place != rule.place || cell.bytes < rule.from_bytes || cell.bytes > rule.to_bytes) continue;
      double best = INFINITY;
      for (const auto& [name, seconds] : cell.seconds) best = std::min(best, seconds);
      worst = std::max(worst, cell.seconds.at(rule.algorithm) / best - 1);
    }
    EXPECT_DOUBLE_EQ(*rule.regret, worst);
  }
  EXPECT_TRUE(one_place_has_several) << "the sweep is too simple to show anything";
}

TEST(Tune, OsuSizesAreThoseOfOsuAtEveryProcessCount) {
  TuneRequest request = small_request();
  request.osu_sizes = true;
  request.bytes = {64};
  const Table table = tune(request);
  for (const Cell& cell : table.cells)
    EXPECT_EQ(cell.bytes, cell.place.collective == Collective::allgather ? 64 * cell.place.ranks()
                          : cell.place.collective == Collective::barrier ? 0
                                                                         : 64);
}

TEST(Tune, ABarrierHasOneCellWhateverTheSizes) {
  TuneRequest request = small_request();
  request.collectives = {Collective::barrier};
  const Table table = tune(request);
  EXPECT_EQ(table.cells.size(), 4u);
  EXPECT_EQ(table.rules.size(), 4u);
}

TEST(Tune, WhatRunsAsSomethingElseIsNotSimulatedTwice) {
  TuneRequest request = small_request();
  tune(request);
  std::set<std::string> seen;
  bool fell_back = false;
  for (const Experiment& e : NotingEngine::asked) {
    const Choice real = resolve(e.choice, e.c);
    Choice normalized = real;
    for (auto& [name, value] : normalized.parameters)
      if (name == "segment" && value >= total_bytes(e.c)) value = 0;
    fell_back = fell_back || real.algorithm != e.choice.algorithm;
    const std::string key = std::string(name_of(e.c.collective)) + " " + normalized.text() + " " +
                            std::to_string(e.c.ranks) + " " + std::to_string(e.c.count) + " " +
                            std::to_string(e.core_of_rank.back());
    EXPECT_TRUE(seen.insert(key).second) << key << " again, as " << e.choice.text();
  }
  EXPECT_FALSE(fell_back) << "no name in the table stands for another algorithm that is in it too";
  EXPECT_GT(seen.size(), 100u);
}

TEST(Tune, CellsThatExceedANodesMemoryAreLeftOutAndCounted) {
  Machine machine = load_machine("example-cluster");
  machine.memory_bytes_per_node = 1 << 20;
  TuneRequest request = small_request();
  request.machine = &machine;
  request.nodes = {2};
  request.ppn = {1, 4};
  request.collectives = {Collective::alltoall};
  // Two buffers of the total size on every rank of a node.
  request.bytes = {1 << 17, 1 << 18, 1 << 19, (1 << 19) + 2, std::int64_t{1} << 56};
  const Table table = tune(request);
  std::vector<std::pair<int, std::int64_t>> kept;
  for (const Cell& cell : table.cells) kept.emplace_back(cell.place.ppn, cell.bytes);
  EXPECT_EQ(kept, (std::vector<std::pair<int, std::int64_t>>{{1, 1 << 17}, {1, 1 << 18}, {1, 1 << 19}, {4, 1 << 17}}));
  EXPECT_EQ(table.left_out, 5) << "two of the sizes come to the same blocks on 8 ranks";
}

TEST(Tune, OnlyTheNamedChoicesAreTriedWhereTheCollectiveHasThem) {
  TuneRequest request = small_request();
  request.algorithms = {"ring", "knomial:radix=3"};
  const Table table = tune(request);
  for (const Cell& cell : table.cells)
    for (const auto& [name, seconds] : cell.seconds)
      EXPECT_EQ(name, cell.place.collective == Collective::bcast ? "knomial:radix=3" : "ring");
}

TEST(Tune, ACandidateThatCannotRunIsNoCandidate) {
  TuneRequest request = small_request();
  request.collectives = {Collective::allgather};
  tune(request);
  for (const Experiment& e : NotingEngine::asked) EXPECT_EQ(why_not(e.choice, e.c), "");
}

TEST(Tune, ARequestThatCannotBeMetIsRefusedBeforeAnythingIsSimulated) {
  for (const auto& change : std::vector<std::function<void(TuneRequest&)>>{
           [](TuneRequest& r) {
             r.nodes = {2, 17};
           },
           [](TuneRequest& r) {
             r.ppn = {1, 9};
           },
           [](TuneRequest& r) { r.placement = "random"; }, [](TuneRequest& r) { r.engine = "guess"; },
           [](TuneRequest& r) { r.algorithms = {"knomial:radix=1"}; },
           [](TuneRequest& r) {
             r.algorithms = {"ring", "square"};
           },
           [](TuneRequest& r) {
             r.bytes = {4, 6};
           }}) {
    TuneRequest request = small_request();
    change(request);
    EXPECT_THROW(tune(request), InputError);
    EXPECT_TRUE(NotingEngine::asked.empty());
  }
}

TEST(Tune, ACellsSizeIsWhatItsBlocksAddUpTo) {
  TuneRequest request = small_request();
  request.nodes = {3};
  request.ppn = {3};
  request.bytes = {0, 20, 1000};  // 0, 2 and 111 bytes a block
  request.collectives = {Collective::allgather};
  std::vector<std::int64_t> sizes;
  const Table table = tune(request);
  for (const Cell& cell : table.cells) sizes.push_back(cell.bytes);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{0, 18, 999}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(Tune, OfASizeThatLeavesBlocksEmptyThoseOfOneElementAreSimulatedAndTheTableSaysSo) {
  TuneRequest request = small_request();
  request.nodes = {3};
  request.ppn = {3};
  request.bytes = {4, 8, 9, 20};
  request.collectives = {Collective::allgather};
  const Table table = tune(request);
  ASSERT_EQ(table.cells.size(), 2u);
  EXPECT_EQ(table.cells[0].bytes, 9);
  EXPECT_EQ(table.cells[1].bytes, 18);
  for (const Experiment& e : NotingEngine::asked) EXPECT_GT(total_bytes(e.c), 0);
  EXPECT_EQ(table.notes, std::vector<std::string>{
                             "2 sizes that were asked for leave less than an element to each block; one element a "
                             "block was simulated instead: allgather 3 x 3 of 4 (9), allgather 3 x 3 of 8 (9)"});
}

TEST(Tune, WithoutJobsOrWithABrokenNameNothingIsSimulated) {
  TuneRequest request = small_request();
  request.jobs = 0;
  EXPECT_THROW(tune(request), InputError);
  Machine machine = load_machine("example-cluster");
  machine.name = "two\nlines";
  request = small_request();
  request.machine = &machine;
  EXPECT_THROW(tune(request), InputError);
  EXPECT_TRUE(NotingEngine::asked.empty());
}

TEST(Tune, FewerExperimentsFindTheSameBestTimes) {
  TuneRequest request = small_request();
  request.collectives = {Collective::bcast, Collective::allgather};
  request.bytes = parse_list("8:4M");
  const Table searched = tune(request);
  const std::size_t asked = NotingEngine::asked.size();
  NotingEngine::asked.clear();
  request.exhaustive = true;
  const Table all = tune(request);
  EXPECT_LT(asked * 4, NotingEngine::asked.size() * 3);
  ASSERT_EQ(searched.cells.size(), all.cells.size());
  const auto best = [](const Cell& cell) {
    return *std::min_element(cell.seconds.begin(), cell.seconds.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
  };
  std::size_t inferred = 0;
  for (std::size_t i = 0; i < all.cells.size(); ++i) {
    const Cell& exact = all.cells[i];
    EXPECT_TRUE(exact.inferred.empty());
    EXPECT_LE(exact.seconds.at(best(searched.cells[i]).first), 1.03 * best(exact).second);
    inferred += searched.cells[i].inferred.size();
  }
  EXPECT_GT(inferred, 0u);
}

TEST(Tune, TheOrderOfTheCollectivesIsOfNoConsequence) {
  TuneRequest request = small_request();
  const std::string text = table_text(request);
  std::reverse(request.collectives.begin(), request.collectives.end());
  EXPECT_EQ(table_text(request), text);
}

TEST(Tune, AFailingEngineStopsTheSweepAndIsNotHidden) {
  TuneRequest request = small_request();
  NotingEngine::fail_at = 40;
  request.jobs = 3;
  EXPECT_THROW(tune(request), std::runtime_error);
}

TEST(Candidates, KeepToTheLimitsOfEveryParameterAndComeOnce) {
  for (int c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    std::set<std::string> texts;
    std::set<const Algorithm*> algorithms;
    for (const Choice& choice : candidate_choices(collective, {})) {
      EXPECT_EQ(parse_choice(collective, choice.text()), choice);  // refuses what is out of range
      EXPECT_TRUE(texts.insert(choice.text()).second) << choice.text();
      algorithms.insert(choice.algorithm);
      for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
        EXPECT_GE(choice.parameters[i].second, choice.algorithm->parameters()[i].minimum);
        EXPECT_LE(choice.parameters[i].second, choice.algorithm->parameters()[i].maximum);
      }
    }
    EXPECT_EQ(algorithms.size(), algorithms_of(collective).size());
  }
}

TEST(Candidates, EveryParameterIsVaried) {
  for (const Algorithm& algorithm : registry())
    for (std::size_t i = 0; i < algorithm.parameters().size(); ++i) {
      std::set<std::int64_t> values;
      for (const Choice& choice : candidate_choices(algorithm.collective(), {}))
        if (choice.algorithm == &algorithm) values.insert(choice.parameters[i].second);
      EXPECT_GT(values.size(), 1u) << algorithm.full_name() << " " << algorithm.parameters()[i].name;
    }
}

}  // namespace
}  // namespace tutti
