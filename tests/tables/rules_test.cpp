#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tables/table.hpp"

namespace tutti {
namespace {

const Place kPlace{Collective::bcast, 2, 4};

Cell cell(std::int64_t bytes, std::map<std::string, double> seconds) { return {kPlace, bytes, std::move(seconds)}; }

std::vector<Cell> sample() {
  return {cell(1, {{"binomial", 1.0}, {"chain", 1.04}, {"linear", 3.0}}),
          cell(2, {{"binomial", 1.06}, {"chain", 1.0}, {"linear", 3.0}}),
          cell(4, {{"binomial", 2.0}, {"chain", 1.0}, {"linear", 1.0}}),
          cell(8, {{"binomial", 2.0}, {"chain", 3.0}, {"linear", 1.0}})};
}

/// Every way to cut the cells into ranges: the fewest such that each has a candidate within the bound.
int fewest_ranges(const std::vector<Cell>& cells, double bound) {
  const auto n = cells.size();
  int fewest = static_cast<int>(n) + 1;
  for (unsigned cuts = 0; cuts < 1u << (n - 1); ++cuts) {
    int ranges = 0;
    bool possible = true;
    for (std::size_t begin = 0, end; begin < n && possible; begin = end, ++ranges) {
      for (end = begin + 1; end < n && !(cuts >> (end - 1) & 1);) ++end;
      possible = std::any_of(cells[begin].seconds.begin(), cells[begin].seconds.end(), [&](const auto& candidate) {
        return std::all_of(cells.begin() + static_cast<long>(begin), cells.begin() + static_cast<long>(end),
                           [&](const Cell& c) {
                             double best = INFINITY;
                             for (const auto& [name, seconds] : c.seconds) best = std::min(best, seconds);
                             const auto mine = c.seconds.find(candidate.first);
                             return mine != c.seconds.end() && mine->second / best - 1 <= bound;
                           });
      });
    }
    if (possible) fewest = std::min(fewest, ranges);
  }
  return fewest;
}

TEST(MergeCells, AChoiceThatStaysWithinTheBoundKeepsTheRangeWhole) {
  const auto rules = merge_cells(sample(), 0.05);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].algorithm, "chain");  // never far from the best from 1 to 4 bytes, though binomial wins at 1
  EXPECT_EQ(rules[0].from_bytes, 0);
  EXPECT_EQ(rules[0].to_bytes, 7);
  EXPECT_DOUBLE_EQ(rules[0].regret.value(), 1.04 - 1);
  EXPECT_DOUBLE_EQ(rules[0].predicted_seconds, 1.04);
  EXPECT_EQ(rules[1].algorithm, "linear");
  EXPECT_EQ(rules[1].from_bytes, 8);
  EXPECT_EQ(rules[1].to_bytes, Rule::kUnlimited);
}

TEST(MergeCells, WhatAChoiceGainsOverADefaultIsTheGeometricMeanOverTheSizesThatKnowIt) {
  std::vector<Cell> cells = sample();
  cells[0].default_seconds = {{"a", 2.08}, {"b", 3}};  // chain, the choice here, takes 1.04
  cells[1].default_seconds = {{"a", 8}};               // and 1
  cells[3].default_seconds = {{"a", 0.5}, {"c", 0}};   // linear takes 1
  const auto rules = merge_cells(cells, 0.05);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].gains.size(), 2u);
  EXPECT_DOUBLE_EQ(rules[0].gains.at("a"), 4);
  EXPECT_DOUBLE_EQ(rules[0].gains.at("b"), 3 / 1.04);
  EXPECT_EQ(rules[1].gains, (std::map<std::string, double>{{"a", 0.5}})) << "no ratio to a time of 0";
}

TEST(MergeCells, AChoiceThatLosesToADefaultEndsTheRange) {
  std::vector<Cell> cells = sample();
  cells[0].default_seconds = {{"a", 1.03}};  // chain, within the bound, takes 1.04 there
  const auto rules = merge_cells(cells, 0.05);
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].algorithm, "binomial");
  EXPECT_EQ(rules[0].to_bytes, 1);
  cells[0].default_seconds = {};
  cells[0].least_default_seconds = 1.03;
  EXPECT_EQ(merge_cells(cells, 0.05).size(), 3u);
  cells[0].least_default_seconds = 1.04;
  EXPECT_EQ(merge_cells(cells, 0.05).size(), 2u);
}

TEST(MergeCells, WithoutToleranceEveryRangeHasItsBest) {
  const auto rules = merge_cells(sample(), 0);
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].algorithm, "binomial");
  EXPECT_EQ(rules[1].algorithm, "chain");  // 2 and 4 bytes: linear is as fast at 4 alone
  EXPECT_EQ(rules[2].algorithm, "linear");
  for (const Rule& rule : rules) EXPECT_EQ(rule.regret, 0);
}

TEST(MergeCells, ThresholdsAreSampledSizesAndRangesLeaveNoGap) {
  for (const double bound : {0.0, 0.01, 0.05, 0.5, 5.0}) {
    const auto rules = merge_cells(sample(), bound);
    EXPECT_EQ(rules.front().from_bytes, 0);
    EXPECT_EQ(rules.back().to_bytes, Rule::kUnlimited);
    for (std::size_t i = 1; i < rules.size(); ++i) {
      EXPECT_EQ(rules[i].from_bytes, rules[i - 1].to_bytes + 1);
      EXPECT_TRUE(rules[i].from_bytes == 2 || rules[i].from_bytes == 4 || rules[i].from_bytes == 8);
    }
  }
}

TEST(MergeCells, OfEqualCandidatesTheFirstByNameIsTaken) {
  const std::vector<Cell> cells{cell(1, {{"linear", 1.0}, {"binomial", 1.0}, {"chain", 1.0}})};
  const auto rules = merge_cells(cells, 0.05);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, "binomial");
  EXPECT_EQ(rules[0].runner_up, "chain");
  EXPECT_EQ(rules[0].margin, 0);
}

TEST(MergeCells, OfEqualCandidatesTheOneThatAsksForNoNodesIsTaken) {
  const std::vector<Cell> cells{cell(1, {{"full_lane:lane=9", 1.0}, {"han", 1.0}, {"scatter_ring", 1.0}})};
  EXPECT_EQ(merge_cells(cells, 0.05).front().algorithm, "scatter_ring");
  const std::vector<Cell> faster{cell(1, {{"full_lane:lane=9", 0.99}, {"scatter_ring", 1.0}})};
  EXPECT_EQ(merge_cells(faster, 0).front().algorithm, "full_lane:lane=9");
}

TEST(MergeCells, ASingleCellAppliesToAllSizes) {
  const auto rules = merge_cells(std::vector{cell(1024, {{"chain", 2.0}})}, 0.05);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].from_bytes, 0);
  EXPECT_EQ(rules[0].to_bytes, Rule::kUnlimited);
  EXPECT_EQ(rules[0].runner_up, "");
  EXPECT_FALSE(rules[0].margin) << "of nothing";
}

TEST(MergeCells, ACandidateMissingAtOneSizeIsNoChoiceThere) {
  const std::vector<Cell> cells{cell(1, {{"chain", 1.0}, {"linear", 2.0}}), cell(2, {{"linear", 2.0}})};
  const auto rules = merge_cells(cells, 0.05);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].algorithm, "chain");
  EXPECT_EQ(rules[1].algorithm, "linear");
}

TEST(MergeCells, TheMarginIsTheClosestRivalAnywhereInTheRange) {
  const auto rules = merge_cells(sample(), 0.05);
  EXPECT_EQ(rules[0].runner_up, "binomial");  // at 1 byte it is the faster one
  EXPECT_DOUBLE_EQ(rules[0].margin.value(), 1 / 1.04 - 1);
}

TEST(MergeCells, TheMarginOfAnInferredRivalIsTheLeastThatItMayBe) {
  std::vector<Cell> cells{cell(1, {{"chain", 1.0}, {"linear", 1.5}, {"binomial", 20.0}})};
  cells[0].inferred = {"binomial"};
  cells[0].between_seconds = {{"binomial", {1.25, 20.0}}};
  const auto rules = merge_cells(cells, 0.05);
  EXPECT_EQ(rules[0].runner_up, "binomial");
  EXPECT_DOUBLE_EQ(rules[0].margin.value(), 0.25);
}

TEST(MergeCells, NeitherRegretNorMarginIsKnownWhereAnotherMayBeFaster) {
  std::vector<Cell> cells{cell(1, {{"chain", 1.0}, {"linear", 1.5}}), cell(2, {{"chain", 1.0}, {"linear", 1.5}})};
  EXPECT_EQ(merge_cells(cells, 0.05)[0].regret, 0);
  cells[1].undecided = {"binomial"};
  const Rule rule = merge_cells(cells, 0.05)[0];
  EXPECT_TRUE(rule.undecided);
  EXPECT_FALSE(rule.regret);
  EXPECT_FALSE(rule.margin);
  EXPECT_EQ(rule.runner_up, "linear");
}

TEST(MergeCells, ZeroTimesAreNoRegret) {
  const auto rules = merge_cells(std::vector{cell(0, {{"chain", 0.0}, {"linear", 1.0}})}, 0.05);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].algorithm, "chain");
  EXPECT_EQ(rules[0].regret, 0);
  EXPECT_FALSE(rules[0].margin) << "nothing is so many times as slow as nothing";
}

TEST(MergeCells, NeverTakesMoreRangesThanNeededNorBreaksTheBound) {
  std::uint32_t state = 12345;
  const auto random = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8 & 0xff) / 255; };
  const char* names[] = {"binomial", "chain", "linear", "pipeline"};
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::vector<Cell> cells;
    for (int i = 0; i < 8; ++i) {
      Cell one = cell(1 << i, {});
      for (const char* name : names)
        if (one.seconds.empty() || random() > 0.1) one.seconds[name] = 1 + random() * 0.3;
      cells.push_back(one);
    }
    for (const double bound : {0.0, 0.05, 0.1}) {
      const auto rules = merge_cells(cells, bound);
      ASSERT_EQ(static_cast<int>(rules.size()), fewest_ranges(cells, bound));
      for (const Rule& rule : rules) ASSERT_LE(rule.regret.value(), bound);
    }
  }
}

TEST(LookUp, AnswersOnBothSidesOfAThreshold) {
  Table table;
  table.cells = sample();
  derive_rules(table);
  EXPECT_EQ(look_up(table, kPlace, 0)->algorithm, "chain");
  EXPECT_EQ(look_up(table, kPlace, 7)->algorithm, "chain");
  EXPECT_EQ(look_up(table, kPlace, 8)->algorithm, "linear");
  EXPECT_EQ(look_up(table, kPlace, std::int64_t{1} << 62)->algorithm, "linear");
}

TEST(LookUp, AnswersAtExactPlacesOnly) {
  Table table;
  table.cells = sample();
  Cell other = cell(1, {{"pipeline", 1.0}});
  other.place.nodes = 5;
  table.cells.push_back(other);
  derive_rules(table);
  EXPECT_EQ(look_up(table, {Collective::bcast, 5, 4}, 64)->algorithm, "pipeline");
  for (const Place& place : {Place{Collective::bcast, 1, 4},
                             {Collective::bcast, 3, 4},
                             {Collective::bcast, 2, 3},
                             {Collective::bcast, 2, 5},
                             {Collective::bcast, 6, 4},
                             {Collective::allgather, 2, 4},
                             {Collective::reduce, 2, 4},
                             {Collective::bcast, 4, 2}})
    EXPECT_EQ(look_up(table, place, 1), nullptr) << place.nodes << " x " << place.ppn;
  EXPECT_EQ(look_up(Table{}, kPlace, 1), nullptr);
}

TEST(DeriveRules, SortsWhatASweepDeliversInAnyOrder) {
  Table straight, reversed;
  straight.cells = sample();
  Cell other = cell(1, {{"binomial", 1.0}});
  other.place.nodes = 1;
  straight.cells.push_back(other);
  reversed.cells.assign(straight.cells.rbegin(), straight.cells.rend());
  derive_rules(straight);
  derive_rules(reversed);
  EXPECT_EQ(to_json_text(straight), to_json_text(reversed));
  EXPECT_EQ(straight.cells.front().place.nodes, 1);
}

}  // namespace
}  // namespace tutti
