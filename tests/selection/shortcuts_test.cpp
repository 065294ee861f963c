// Lower bounds, extrapolation and confirmation, beside what the engine says.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "selection/candidates.hpp"
#include "selection/confirm.hpp"
#include "selection/extrapolate.hpp"
#include "selection/lower_bounds.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

struct Tightness {
  std::size_t tight = 0, all = 0;
};

/// Compares every algorithm's time with its bound.
Tightness expect_below_all_times(const Machine& machine, int nodes, int ppn, const std::vector<std::int64_t>& sizes) {
  Simulations simulations(machine, {}, "block", nullptr);
  Tightness found;
  for (int collective = 0; collective < kCollectives; ++collective) {
    const Place place{static_cast<Collective>(collective), nodes, ppn};
    LowerBounds bounds(machine, {}, simulations.cores(place), nodes, ppn);
    std::vector<Query> queries;
    for (const std::int64_t bytes : sizes)
      for (const Choice& choice : candidate_choices(place.collective, {}, *machine.network))
        if (why_not(choice, case_for(place, bytes)).empty()) queries.push_back({place, bytes, choice});
    const std::vector<Time> times = simulations.times("fast", queries);
    for (std::size_t i = 0; i < queries.size(); ++i, ++found.all) {
      const Case c = case_for(place, queries[i].bytes);
      const double least = bounds.seconds(resolve(queries[i].choice, c), c);
      EXPECT_LE(least, times[i].seconds * (1 + 1e-9) + 1e-12)  // an engine's times are rounded, every one on the way
          << machine.name << ": " << queries[i].choice.algorithm->full_name() << " " << nodes << " x " << ppn << " "
          << queries[i].bytes;
      found.tight += least > times[i].seconds / 3;
    }
  }
  return found;
}

TEST(LowerBounds, AreBelowTheTimeOfEveryAlgorithm) {
  Tightness together;
  for (const auto& [nodes, ppn] : {std::pair(2, 1), {5, 1}, {16, 1}, {1, 8}, {3, 4}, {7, 3}}) {
    const Tightness here = expect_below_all_times(test::example(), nodes, ppn, {0, 48, 16384, 1 << 20});
    together.tight += here.tight;
    together.all += here.all;
  }
  EXPECT_GT(together.tight * 10, together.all) << "bounds that bound nothing";
}

TEST(LowerBounds, AreBelowTheTimeOfEveryAlgorithmOnEveryMachine) {
  // By turns of few nodes with many ranks and of more nodes: there are many machines of each kind.
  bool of_few = false;
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    of_few = !of_few || machine.network->nodes() < 6;
    const auto [nodes, ppn] = of_few ? std::pair(3, 4) : std::pair(6, 2);
    if (nodes <= machine.network->nodes()) expect_below_all_times(machine, nodes, ppn, {1 << 10, 1 << 20});
  }
}

TEST(LowerBounds, AnAllToAllOfLongMessagesTakesWhatItsBusiestLinkTakes) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  const Place place{Collective::alltoall, 16, 1};  // four nodes share two up-links
  LowerBounds bounds(test::example(), {}, simulations.cores(place), 16, 1);
  const Query query{place, 16 << 20, parse_choice(Collective::alltoall, "linear")};
  const double least = bounds.seconds(query.choice, case_for(place, query.bytes));
  // Four nodes send 12 blocks each out of their leaf, over two up-links.
  EXPECT_NEAR(least, 24 * 1048576 / 12.5e9, 1e-9);
  const double seconds = simulations.seconds("fast", query);
  EXPECT_GE(seconds, least);
  EXPECT_LE(seconds, 1.25 * least);
}

TEST(LowerBounds, WhateverSendsFromEveryRankToEveryOtherTakesWhatItsBusiestLinkOrProcessorTakes) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  for (const auto& [collective, text] : {std::pair(Collective::allgather, "flat"),
                                         {Collective::allreduce, "one_shot"},
                                         {Collective::reduce, "direct"}}) {
    const Place place{collective, 16, 1};
    LowerBounds bounds(test::example(), {}, simulations.cores(place), 16, 1);
    const Query query{place, 16 << 20, parse_choice(collective, text)};
    const double least = bounds.seconds(query.choice, case_for(place, query.bytes));
    EXPECT_LE(least, simulations.seconds("fast", query)) << text;
    EXPECT_GE(least, 0.2 * simulations.seconds("fast", query)) << text;
  }
}

TEST(Extrapolation, OfRingsExchangesAndPipelinesIsNearTheTruth) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  const MessageBudget all{0, 1e9};
  const auto check = [&](Collective collective, const char* text, int ppn, std::int64_t bytes, double most_messages,
                         double tolerance) {
    const Query query{{collective, 16, ppn}, bytes, parse_choice(collective, text)};
    LowerBounds bounds(test::example(), {}, simulations.cores(query.place), 16, ppn);
    const Evaluation guess = evaluate(simulations, "fast", query, {0, most_messages, 0}, bounds);
    const Evaluation truth = evaluate(simulations, "fast", query, all, bounds);
    EXPECT_FALSE(guess.simulated) << text;
    EXPECT_TRUE(truth.simulated);
    EXPECT_NEAR(guess.time.seconds / truth.time.seconds, 1, tolerance)
        << name_of(collective) << " " << text << " " << bytes;
  };
  // From within a leaf to several, whose up-links are contended, an exchange is less sure.
  for (const std::int64_t block : {64, 4096, 65536}) {
    check(Collective::allgather, "ring", 4, 64 * block, 1200, 0.15);
    check(Collective::allreduce, "ring", 4, 64 * block, 1200, 0.15);
    check(Collective::reduce_scatter, "ring", 4, 64 * block, 1200, 0.15);
    check(Collective::alltoall, "pairwise", 4, 64 * block, 4000, 0.3);
  }
  check(Collective::bcast, "pipeline:segment=8192", 4, 1 << 20, 1200, 0.15);
  check(Collective::bcast, "binary:segment=8192", 4, 1 << 20, 1200, 0.15);
  check(Collective::reduce, "chain:segment=8192", 4, 1 << 20, 1200, 0.15);
}

TEST(Extrapolation, OverSegmentsTheErrorHoldsThoseOfPipelinesThatAreNotYetFilled) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  const Place place{Collective::bcast, 16, 4};
  LowerBounds bounds(test::example(), {}, simulations.cores(place), 16, 4);
  int inferred = 0, outside = 0, beyond_that_of_a_line = 0;
  for (const char* text :
       {"pipeline:segment=8192", "chain:segment=8192", "binary:segment=8192", "binomial:segment=8192",
        "split_binary:segment=8192", "two_tree:segment=8192", "circulant:segment=8192"})
    for (const double most_messages : {300, 600, 1200}) {
      const Query query{place, 1 << 20, parse_choice(place.collective, text)};
      const Evaluation guess = evaluate(simulations, "fast", query, {0, most_messages, 0}, bounds);
      if (guess.simulated || guess.error == kErrorOverNodes) continue;
      const double off = std::abs(simulations.seconds("fast", query) / guess.time.seconds - 1);
      ++inferred;
      outside += off > guess.error;
      beyond_that_of_a_line += off > kErrorOverSegments;
    }
  EXPECT_GE(inferred, 12);
  EXPECT_LE(outside, 2);  // a line that bends only later
  EXPECT_GE(beyond_that_of_a_line, 5) << "of " << inferred << ": the test shows nothing";
}

TEST(Extrapolation, AReductionThatGrowsOutOfItsCacheIsNotTakenForALine) {
  const Machine machine = load_machine("leonardo-booster");
  Simulations simulations(machine, {}, "block", nullptr);
  const Place place{Collective::reduce, 8, 1};
  const Query query{place, 1536 << 10, parse_choice(place.collective, "binomial:segment=8192")};  // 1,344 messages
  LowerBounds bounds(simulations.machine(place), {}, simulations.cores(place), 8, 1);
  const Evaluation guess = evaluate(simulations, "fast", query, {0, 200, 0}, bounds);
  EXPECT_NEAR(guess.time.seconds / simulations.seconds("fast", query), 1, guess.simulated ? 0 : guess.error);
}

TEST(Extrapolation, WhereMessagesMayBeLostTheErrorHoldsThem) {
  nlohmann::json root = nlohmann::json::parse(machine_text("example-cluster"));
  root["transport"]["network"]["retransmission"] = {{"share", 3e-4}, {"seconds", 0.05}, {"source", "here"}};
  const Machine machine = parse_machine(root.dump(), "m.json");
  Simulations simulations(machine, {}, "block", nullptr);
  const Place place{Collective::bcast, 16, 4};
  const Query query{place, 32 << 20, parse_choice(Collective::bcast, "pipeline:segment=64K")};  // 32,256 messages
  LowerBounds bounds(machine, {}, simulations.cores(place), 16, 4);
  int asked = 0;
  simulations.report_to([&](const SimulationCost& cost) {
    ++asked;
    EXPECT_LT(cost.messages, 900) << "of which none is lost";
  });
  const Evaluation guess = evaluate(simulations, "fast", query, {0, 16'384, 0}, bounds);
  simulations.report_to({});
  ASSERT_FALSE(guess.simulated);
  EXPECT_GE(asked, 2);
  const double truth = simulations.seconds("fast", query);
  Simulations lossless(test::example(), {}, "block", nullptr);
  EXPECT_GT(truth, lossless.seconds("fast", query) + 0.04) << "none is lost: the test shows nothing";
  EXPECT_LE(truth, guess.time.seconds * (1 + guess.error));
  EXPECT_GE(truth, guess.time.seconds * (1 - guess.error));
}

TEST(Extrapolation, FewerNodesTellOnlyWhereTheSameWayIsGoneThere) {
  const Machine machine = load_machine("lumi-g");
  Simulations simulations(machine, {}, "block", nullptr);
  const auto check = [&](const Place& place, std::int64_t bytes, const char* choice) {
    const Query query{place, bytes, parse_choice(place.collective, choice)};
    LowerBounds bounds(simulations.machine(place), {}, simulations.cores(place), place.nodes, place.ppn);
    const Evaluation guess = evaluate(simulations, "fast", query, MessageBudget::of(8192), bounds);
    EXPECT_NEAR(guess.time.seconds / simulations.seconds("fast", query), 1, guess.simulated ? 0 : guess.error)
        << choice;
  };
  check({Collective::reduce_scatter, 156, 2}, 32, "hier(leaf=pairwise)");  // leaves of 4 nodes: not on 155
  check({Collective::allreduce, 254, 1}, 64 << 10, "swing_packed:dimensions=3:both_ways=1");  // otherwise on 253
}

TEST(Extrapolation, TheErrorHoldsRoundsThatAreBeyondTheLineThroughFewerNodes) {
  const Machine machine = load_machine("cresco8");
  Simulations simulations(machine, {}, "block", nullptr);
  // 236 = 4 x 59, a prime that is all met at once: 122 rounds, after 34 of 220 = 4 x 5 x 11.
  const Query query{{Collective::allreduce, 59, 4}, 512, parse_choice(Collective::allreduce, "bcube")};
  LowerBounds bounds(simulations.machine(query.place), {}, simulations.cores(query.place), 59, 4);
  const Evaluation guess = evaluate(simulations, "fast", query, MessageBudget::of(8192), bounds);
  ASSERT_FALSE(guess.simulated);
  EXPECT_NEAR(guess.time.seconds / simulations.seconds("fast", query), 1, guess.error);
  EXPECT_LT(guess.error, kLargestError);
}

TEST(Extrapolation, WhatNothingSmallerStandsForMayTakeMoreMessagesOrIsRefused) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  const Query query{{Collective::allgather, 2, 8}, 1024, parse_choice(Collective::allgather, "ring")};
  LowerBounds bounds(test::example(), {}, simulations.cores(query.place), 2, 8);
  const Evaluation found = evaluate(simulations, "fast", query, {0, 3, 0}, bounds);  // it sends 240 messages
  EXPECT_EQ(found.time.seconds, kRefused);
  EXPECT_FALSE(found.simulated);
  EXPECT_TRUE(evaluate(simulations, "fast", query, {0, 4, 0}, bounds).simulated) << "64 times as many may be simulated";
}

TEST(Extrapolation, WhatIsAskedForIsSimulatedAsItIsWhereTheSmallerOnesWouldNotBe) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  const Query query{{Collective::allgather, 16, 4}, 1 << 16, parse_choice(Collective::allgather, "ring")};
  LowerBounds bounds(test::example(), {}, simulations.cores(query.place), 16, 4);  // it sends 4,032 messages
  EXPECT_TRUE(evaluate(simulations, "fast", query, {0, 1200, 8064}, bounds).simulated);
  EXPECT_EQ(evaluate(simulations, "fast", query, {0, 1200, 8063}, bounds).time.seconds,
            evaluate(simulations, "fast", query, {0, 1200, 0}, bounds).time.seconds)
      << "by which smaller ones an extrapolation is made does not depend on what is simulated whole";
  EXPECT_FALSE(evaluate(simulations, "fast", query, {0, 1200, 8063}, bounds).simulated);
}

TEST(Extrapolation, TheUsualBudgetSimulatesARingOn512Ranks) {
  EXPECT_GE(MessageBudget().most(512), 2.0 * 512 * 511) << "an allreduce's, whose ring goes round twice";
  EXPECT_EQ(MessageBudget().most(1024), MessageBudget().in_all);
  EXPECT_GE(MessageBudget::of(1 << 21).most(1024), 2.0 * 1024 * 1023);
  const MessageBudget usual = MessageBudget::of(MessageBudget().whole), small = MessageBudget::of(4096);
  EXPECT_EQ(usual.in_all, MessageBudget().in_all);
  EXPECT_EQ(usual.per_rank, MessageBudget().per_rank);
  EXPECT_EQ(small.most(2), 4096);
  EXPECT_EQ(small.of_smaller().most(2), 4096);
}

TEST(Confirmation, AnotherEngineDecidesWhatIsClose) {
  test::NotingEngine::asked.clear();
  Simulations simulations(test::example(), {}, "block", nullptr);
  const std::vector<Choice> candidates = candidate_choices(Collective::bcast, {});
  const Place place{Collective::bcast, 4, 1};
  std::vector<Cell> cells{{place, 8, {{"binomial", 1}, {"chain", 1.01}, {"linear", 1.2}}},
                          {place, 16, {{"binomial", 1}, {"chain", 1.2}}},
                          {place, 32, {{"binomial", 1}, {"chain", 1.01}}}};
  cells[2].inferred = {"chain"};
  confirm_close(simulations, "noting", candidates, 0.05, cells);
  EXPECT_EQ(test::NotingEngine::asked.size(), 2u);
  EXPECT_EQ(cells[0].confirmed, (std::set<std::string>{"binomial", "chain"}));
  EXPECT_LT(cells[0].seconds.at("chain"), 1e-3);
  EXPECT_EQ(cells[0].seconds.at("linear"), 1.2);
  EXPECT_TRUE(cells[1].confirmed.empty());
  EXPECT_TRUE(cells[2].confirmed.empty());
}

}  // namespace
}  // namespace tutti
