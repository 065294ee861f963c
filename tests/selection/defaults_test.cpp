// What libraries pick by themselves beside what a table chooses.
#include "selection/defaults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "selection/baselines.hpp"
#include "selection/candidate_bounds.hpp"
#include "selection/candidates.hpp"
#include "selection/own_parts.hpp"
#include "selection/undecided.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

TuneRequest request(const Machine& machine) {
  TuneRequest asked;
  asked.machine = &machine;
  asked.machine_text = machine_source(machine.name);
  asked.nodes = {3};
  asked.ppn = {1};
  asked.bytes = {64, 200'000};
  asked.collectives = {Collective::bcast};
  asked.engine = "fast";
  return asked;
}

std::string best_of(const Cell& cell) {
  return std::min_element(cell.seconds.begin(), cell.seconds.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

TEST(Defaults, WhatABaselineNamesIsACandidateEvenWhereOthersWereAskedFor) {
  TuneRequest asked = request(test::example());
  asked.algorithms = {"linear", "binomial"};
  asked.baselines = {"mpich", "open-mpi-4.1"};
  const Table table = tune(asked);
  ASSERT_EQ(table.cells.size(), 2u);
  const Cell& large = table.cells[1];  // three ranks: MPICH takes its binomial tree, Open MPI a chain: nobody asked
  EXPECT_EQ(large.default_seconds.at("mpich"), large.seconds.at("knomial:radix=2"));
  EXPECT_EQ(large.default_seconds.at("open-mpi-4.1"), large.seconds.at("chain:fanout=1"));
  for (const Rule& rule : table.rules) {
    EXPECT_EQ(rule.gains.size(), 2u);
    for (const auto& [library, gain] : rule.gains) EXPECT_GE(gain, 1) << library;
  }
  asked.baselines = {"lam"};
  EXPECT_THROW(tune(asked), InputError);
}

TEST(Defaults, WhereALibraryRunsNoneOfOursItHasNoTime) {
  TuneRequest asked = request(test::example());
  asked.collectives = {Collective::alltoall};
  asked.nodes = {4}, asked.ppn = {4}, asked.bytes = {256, 65'536};
  asked.baselines = {"mpich", "mvapich2-2.3"};
  const Table table = tune(asked);
  ASSERT_EQ(table.cells.size(), 2U);
  EXPECT_FALSE(table.cells[0].default_seconds.contains("mvapich2-2.3")) << "it gathers all blocks on all ranks";
  EXPECT_EQ(table.cells[0].default_seconds.count("mpich"), 1U);
  EXPECT_EQ(table.cells[1].default_seconds.at("mvapich2-2.3"), table.cells[1].seconds.at("scattered"));
}

TEST(Defaults, WhateverALibraryPicksIsAmongTheChoicesThatItNames) {
  for (const std::string& name : baseline_names()) {
    const Baseline& library = find_baseline(name);
    for (int i = 0; i < kCollectives; ++i) {
      const auto collective = static_cast<Collective>(i);
      std::vector<Choice> named = named_choices(library, collective);
      if (name == "ucc-1.3") add_named_choices(named, {"open-mpi-4.1"}, collective);  // which gets what it refuses
      for (const int ranks : {2, 3, 7, 48, 260, 5000})  // a node each: what is put together for a layout has no rule
        for (const std::int64_t bytes : parse_list("1:4M")) {
          const Case c = case_for({collective, ranks, 1}, bytes / 4 * 4);
          const auto picked = pick_if_ours(library, c, evenly(ranks, ranks));
          EXPECT_TRUE(!picked || std::find(named.begin(), named.end(), without_parts(picked->choice)) != named.end())
              << name << " " << name_of(collective) << " " << ranks << " " << bytes;
        }
    }
  }
}

TEST(Defaults, ThatABetterBoundPutsOutOfTheQuestionAreSimulatedWhereTheirTimeIsWanted) {
  TuneRequest asked = request(test::example());
  asked.nodes = {5, 16};
  asked.ppn = {4};
  asked.bytes = {32, 512, 8'192, 32'768, 131'072, 524'288};
  asked.collectives = {Collective::scan, Collective::reduce};
  asked.baselines = {"open-mpi-4.1"};
  const Table table = tune(asked);
  asked.exhaustive = true;
  const Table exact = tune(asked);
  ASSERT_EQ(table.cells.size(), exact.cells.size());
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    EXPECT_EQ(table.cells[i].default_seconds.size(), 1u);
    EXPECT_EQ(table.cells[i].default_seconds, exact.cells[i].default_seconds) << i;
  }
}

TEST(Defaults, NoRuleIsSlowerInACellThatItServesThoughTheBoundWouldAllowIt) {
  TuneRequest asked = request(test::example());
  asked.nodes = {3, 9};
  asked.ppn = {4};
  asked.bytes = {8, 64, 512, 2'048, 8'192, 65'536, 262'144, 1'048'576};
  asked.collectives = {Collective::bcast, Collective::allreduce};
  asked.bound = 0.5;
  for (const auto& baselines : std::vector<std::vector<std::string>>{{}, {"open-mpi-4.1"}}) {
    asked.baselines = baselines;
    const Table table = tune(asked);
    Simulations simulations(test::example(), {}, "block", nullptr);
    bool merging_cost = false;
    for (const Cell& cell : table.cells) {
      const Rule& rule = *look_up(table, cell.place, cell.bytes);
      merging_cost = merging_cost || cell.seconds.at(rule.algorithm) > best_seconds(cell);
      EXPECT_EQ(cell.default_seconds.empty(), !baselines.empty() ? false : true);
      for (const std::string& library : baselines.empty() ? baseline_names() : baselines) {
        const auto picked =
            pick_if_ours(find_baseline(library), case_for(cell.place, cell.bytes), cell.place.on_nodes());
        if (!picked) continue;
        const Choice theirs = picked->choice;
        const Choice ours = parse_choice(cell.place.collective, rule.algorithm);
        EXPECT_LE(simulations.seconds("fast", {cell.place, cell.bytes, ours}),
                  simulations.seconds("fast", {cell.place, cell.bytes, theirs}) * (1 + 1e-9))
            << name_of(cell.place.collective) << " " << cell.place.nodes << " x " << cell.place.ppn << " " << cell.bytes
            << ": " << rule.algorithm << " for " << library << "'s " << theirs.text();
      }
    }
    EXPECT_TRUE(merging_cost) << "nothing was merged that could have lost";
  }
}

TEST(Defaults, ATableThatLosesToOneIsNeverHandedOut) {
  const Place place{Collective::bcast, 2, 1};
  Table table{"m", "e", "isolated", "block", 0.05, 0, 0, {{place, 8, {{"linear", 2}, {"chain", 3}}}}, {}};
  table.cells[0].default_seconds["mpich"] = 2;
  derive_rules(table);
  EXPECT_NO_THROW(expect_no_loss(table));
  table.rules[0].algorithm = "chain";
  EXPECT_THROW(expect_no_loss(table), std::logic_error);
  derive_rules(table);
  table.cells[0].default_seconds = {};
  table.cells[0].least_default_seconds = 1.5;
  EXPECT_THROW(expect_no_loss(table), std::logic_error);
  table.cells[0].least_default_seconds = 2;
  EXPECT_NO_THROW(expect_no_loss(table));
  table.rules.clear();
  EXPECT_THROW(expect_no_loss(table), std::logic_error) << "a cell without a rule";
}

/// Above 256 ranks by other transports, which take longer from one message to the next.
const Machine& leonardo() {
  static const Machine machine = [] {
    nlohmann::json root = nlohmann::json::parse(machine_text("leonardo-booster"));
    nlohmann::json network = root["transport"]["network"];
    network["gap_seconds"] = 1.2e-6;
    root["larger_jobs"] = {{"more_ranks_than", 256}, {"transport", {{"network", network}}}, {"source", "here"}};
    return parse_machine(root.dump(), "m.json");
  }();
  return machine;
}

TEST(LargerJobs, WhatTheMachineDoesOtherwiseFromSomeRanksOnIsSimulatedThere) {
  TuneRequest asked = request(leonardo());
  asked.nodes = {65};
  asked.ppn = {4};
  asked.bytes = {1 << 20};
  asked.collectives = {Collective::alltoall};
  asked.baselines = {"open-mpi-4.1", "mpich"};
  const Table table = tune(asked);
  ASSERT_EQ(table.cells.size(), 1u);
  EXPECT_EQ(table.refused, 0);
  Simulations simulations(leonardo(), {}, "block", nullptr);
  for (const Cell& cell : table.cells) {
    EXPECT_TRUE(cell.undecided.empty());
    const std::string best = best_of(cell);
    for (const char* text : {"linear", "linear_sync", "linear_sync:window=4", "pairwise", "scattered"})
      EXPECT_LE(cell.seconds.at(best),
                1.03 * simulations.seconds("fast", {cell.place, cell.bytes, parse_choice(Collective::alltoall, text)}))
          << cell.place.nodes << " nodes: " << text;
  }
}

TEST(LargerJobs, AreInferredFromLargeOnes) {
  Simulations simulations(leonardo(), {}, "block", nullptr);
  const Query query{
      {Collective::alltoall, 100, 4}, std::int64_t{400} * 1024, parse_choice(Collective::alltoall, "pairwise")};
  LowerBounds bounds(simulations.machine(query.place), {}, simulations.cores(query.place), 100, 4);
  const Evaluation truth = evaluate(simulations, "fast", query, {0, 1e9}, bounds);
  const Evaluation guess = evaluate(simulations, "fast", query, {0, 120'000, 0}, bounds);
  EXPECT_TRUE(truth.simulated);
  ASSERT_FALSE(guess.simulated);
  EXPECT_NEAR(guess.time.seconds / truth.time.seconds, 1, guess.error);
  int asked = 0;
  simulations.report_to([&](const SimulationCost&) { ++asked; });
  // The fewest nodes of its kind have 67,340 messages: nothing less tells of it, so that it is simulated as it is.
  EXPECT_TRUE(evaluate(simulations, "fast", query, {0, 60'000, 0}, bounds).simulated);
  EXPECT_EQ(asked, 0) << "known from above";
}

TEST(Undecided, IsACellOfWhichACandidateThatMayBeFasterCannotBeSimulated) {
  TuneRequest asked = request(leonardo());
  asked.nodes = {65};
  asked.ppn = {4};
  asked.bytes = {1 << 20};
  asked.collectives = {Collective::alltoall};
  asked.budget = {0, 1000, 0};  // and 64 times that is less than 65 nodes exchange
  const Table table = tune(asked);
  ASSERT_EQ(table.cells.size(), 1u);
  const Cell& cell = table.cells.front();
  EXPECT_GT(table.refused, 0);
  EXPECT_TRUE(cell.undecided.contains("linear_sync")) << "Open MPI's default, which is faster";
  EXPECT_FALSE(cell.undecided.contains(best_of(cell)));
  EXPECT_TRUE(table.rules.front().undecided);
  EXPECT_FALSE(table.rules.front().regret) << "which nobody knows";
  const std::string text = to_json_text(table);
  EXPECT_EQ(to_json_text(parse_table(text, "t.json")), text);
  asked.budget = {};
  const Table whole = tune(asked);
  EXPECT_TRUE(whole.cells.front().undecided.empty());
  EXPECT_FALSE(whole.rules.front().undecided);
  EXPECT_EQ(to_json_text(whole).find("undecided"), std::string::npos);
}

TEST(Undecided, IsACellWhereWhatTakesLeastAtMostMayTakeLessThanWhatTheTableNames) {
  Simulations simulations(leonardo(), {}, "block", nullptr);
  const Place place{Collective::bcast, 32, 4};
  const std::vector<std::int64_t> bytes{4 << 20, 8 << 20};
  const std::vector<Choice> candidates{parse_choice(place.collective, "pipeline:segment=64K"),
                                       parse_choice(place.collective, "scatter_ring")};
  CandidateBounds bounds(simulations, place, bytes, candidates, {}, {});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bounds.set(0, i, 0.0102 * static_cast<double>(i + 1), 0.05, false);
    bounds.set(1, i, 0.0100 * static_cast<double>(i + 1), 0.30, false);
  }
  SearchResult result = bounds.result();
  note_undecided(result, candidates, 0.03);
  for (const Cell& cell : result.cells) {
    EXPECT_EQ(best_of(cell), "scatter_ring");
    EXPECT_EQ(cell.undecided, std::set<std::string>{"pipeline:segment=65536"});
  }
}

}  // namespace
}  // namespace tutti
