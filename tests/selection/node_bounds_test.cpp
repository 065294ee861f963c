// What fewer nodes tell, and what of a call costs time to simulate beside messages.
#include "selection/node_bounds.hpp"

#include <gtest/gtest.h>

#include "selection/rank_work.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

/// Simulated, at 1 us, unless told otherwise.
Estimate estimate(Collective collective, const char* text, int ranks, TimeBounds seconds = {1e-6, 1e-6}) {
  Case c;
  c.collective = collective;
  c.ranks = ranks;
  c.count = 4096;
  Estimate known{seconds, {}, {}, parse_choice(collective, text)};
  known.counts = declared(known.real, c, {});
  return known;
}

TEST(FewerNodes, MoreRanksTakeNotMuchLessThanFewer) {
  const auto least = [](const char* text, int there, int here) {
    return lower_bound_by_fewer_nodes(estimate(Collective::allreduce, text, there), there,
                                      estimate(Collective::allreduce, text, here), here);
  };
  const double share = (119. / 120) / (39. / 40);  // of the vector, that a rank sends twice
  EXPECT_DOUBLE_EQ(least("ring", 40, 120), kLessOnMoreNodes * share * 1e-6);
  EXPECT_DOUBLE_EQ(least("recursive_doubling", 48, 96), kLessOnMoreNodes * 8 / 7 * 1e-6) << "a round more";
  EXPECT_EQ(least("recursive_doubling", 48, 64), 0);  // two rounds less
  EXPECT_EQ(least("ring", 48, 64), 0);
  EXPECT_DOUBLE_EQ(least("ring", 32, 64), kLessOnMoreNodes * (63. / 64) / (31. / 32) * 1e-6);
  EXPECT_EQ(least("tree:radix=4", 48, 64), 0);
  EXPECT_EQ(least("ring", 8, 24), 0) << "a peculiar few";
}

TEST(FewerNodes, TellNothingOfWhatDependsOnHowLeavesDivideThem) {
  const auto least = [](const char* text) {
    const auto known = [&](int nodes) {
      Case c;
      c.collective = Collective::reduce_scatter;
      c.ranks = 4 * nodes;
      c.count = 4096;
      Places places;
      for (Rank rank = 0; rank < c.ranks; ++rank) {
        places.node.push_back(rank / 4);
        places.others[Level::leaf].push_back(rank / 12);
      }
      Estimate found{{1e-6, 1e-6}, {}, {}, parse_choice(c.collective, text)};
      found.counts = declared(found.real, c, places);
      return found;
    };
    return lower_bound_by_fewer_nodes(known(9), 36, known(12), 48);
  };
  EXPECT_GT(least("hier"), 0);
  EXPECT_EQ(least("hier(leaf=pairwise)"), 0);
}

TEST(FewerNodes, AnotherAlgorithmOrProtocolTellsNothing) {
  const Estimate ring = estimate(Collective::allreduce, "ring", 120);
  Estimate there = estimate(Collective::allreduce, "linear", 40);
  EXPECT_EQ(lower_bound_by_fewer_nodes(there, 40, ring, 120), 0);
  there = estimate(Collective::allreduce, "ring", 40);
  there.protocols = {{false, false, 0}};
  EXPECT_EQ(lower_bound_by_fewer_nodes(there, 40, ring, 120), 0);
  there = estimate(Collective::allreduce, "ring", 40);
  there.may_lose_messages = true;
  EXPECT_EQ(lower_bound_by_fewer_nodes(there, 40, ring, 120), 0);
  there = estimate(Collective::allreduce, "ring", 40, {kRefused, kRefused});
  EXPECT_EQ(lower_bound_by_fewer_nodes(there, 40, ring, 120), 0);
}

TEST(OtherNodes, ATimeLiesNearTheLineBetweenThoseOnEitherSide) {
  const auto between = [](const char* text, int fewer, int here, int more, TimeBounds there = {1e-6, 1e-6}) {
    Estimate a = estimate(Collective::allreduce, text, fewer, there),
             b = estimate(Collective::allreduce, text, more, {3e-6, 3e-6});
    a.likely_seconds = 1e-6;
    b.likely_seconds = 3e-6;
    return bounds_between({a, fewer}, {b, more}, {estimate(Collective::allreduce, text, here), here});
  };
  const BetweenNodes ring = between("ring", 100, 105, 110);
  EXPECT_DOUBLE_EQ(ring.seconds.lower, (1 - kOffTheLine) * 2e-6);
  EXPECT_DOUBLE_EQ(ring.seconds.upper, (1 + kOffTheLine) * 2e-6);
  EXPECT_DOUBLE_EQ(ring.likely_seconds.value(), 2e-6);
  EXPECT_EQ(between("ring", 100, 105, 110, {1e-6, kRefused}).seconds.upper, kRefused) << "no more is known there";
  EXPECT_GT(between("recursive_doubling", 100, 105, 110).seconds.lower, 0);
  EXPECT_EQ(between("recursive_doubling", 120, 128, 136).seconds.lower, 0) << "it folds on either side, not here";
  EXPECT_EQ(between("recursive_doubling", 112, 120, 128).seconds.lower, 0) << "it does not fold there";
  EXPECT_EQ(between("bcube", 116, 118, 120).seconds.lower, 0) << "118 is 2 x 59, with 59 rounds";
  EXPECT_EQ(between("ring", 100, 105, 120).seconds.lower, 0) << "too far apart";
  EXPECT_EQ(between("ring", 28, 29, 30).seconds.lower, 0) << "a peculiar few";
}

TEST(OtherNodes, AnotherProtocolOnEitherSideTellsNothing) {
  const Estimate here = estimate(Collective::allreduce, "ring", 105),
                 fewer = estimate(Collective::allreduce, "ring", 100);
  Estimate more = estimate(Collective::allreduce, "ring", 110);
  EXPECT_GT(bounds_between({fewer, 100}, {more, 110}, {here, 105}).seconds.lower, 0);
  more.protocols = {{false, false, 0}};
  EXPECT_EQ(bounds_between({fewer, 100}, {more, 110}, {here, 105}).seconds.lower, 0);
}

TEST(OtherNodes, WhereMessagesMayBeLostTellNothing) {
  Estimate more = estimate(Collective::allreduce, "ring", 110);
  more.may_lose_messages = true;
  EXPECT_EQ(bounds_between({estimate(Collective::allreduce, "ring", 100), 100}, {more, 110},
                           {estimate(Collective::allreduce, "ring", 105), 105})
                .seconds.lower,
            0);
}

/// On one segment, so that nothing else tells them apart.
TEST(Protocols, WhatIsScatteredAfterAReductionMayBeAcknowledgedOrNot) {
  Machine machine = test::example();
  Transport& transport = *machine.transports[static_cast<std::size_t>(Distance::network)];
  transport.segments = {transport.segments.back()};
  const auto of = [&](std::int64_t bytes) {
    const Case c = case_for({Collective::reduce_scatter, 12, 1}, bytes);
    const Choice choice = parse_choice(Collective::reduce_scatter, "non_overlapping");
    return protocols_of(machine, {Distance::network}, choice, declared(choice, c, {}), c, 1);
  };
  EXPECT_EQ(of(2048), of(4096));
  transport.acknowledged_above_bytes = 192;
  EXPECT_NE(of(2048), of(4096)) << "blocks of 168 and 340 bytes";
  EXPECT_EQ(of(4096), of(8192));
}

TEST(FewerNodes, EquivalentChoicesTookTheSameTimeOnManyRanksAndHaveTheSameCounts) {
  const auto are = [](const char* a, const char* b, int there, double seconds_of_b) {
    return are_equivalent_by_fewer_nodes(estimate(Collective::bcast, a, there),
                                         estimate(Collective::bcast, b, there, {seconds_of_b, seconds_of_b}), there,
                                         estimate(Collective::bcast, a, 96), estimate(Collective::bcast, b, 96), 96);
  };
  EXPECT_TRUE(are("binomial", "knomial:radix=2", 48, 1e-6));
  EXPECT_FALSE(are("binomial", "knomial:radix=2", 48, 1.1e-6));
  EXPECT_FALSE(are("binomial", "knomial:radix=2", 8, 1e-6));
  EXPECT_FALSE(are("binomial", "knomial:radix=4", 48, 1e-6)) << "other counts";
  const auto window = [](const char* a) { return estimate(Collective::alltoall, a, 32); };
  const auto later = [](const char* a) { return estimate(Collective::alltoall, a, 48); };
  EXPECT_FALSE(are_equivalent_by_fewer_nodes(window("linear"), window("scattered:window=32"), 32, later("linear"),
                                             later("scattered:window=32"), 48))
      << "the window binds on more ranks alone";
}

TEST(FewerNodes, ChoicesThatAreEquivalentWhereNoRankFoldsMayFoldOthers) {
  const auto are = [](int there, int here) {
    const auto known = [](const char* text, int ranks) { return estimate(Collective::allreduce, text, ranks); };
    return are_equivalent_by_fewer_nodes(known("recexch", there), known("recursive_multiplying", there), there,
                                         known("recexch", here), known("recursive_multiplying", here), here);
  };
  EXPECT_FALSE(are(32, 72)) << "on Fugaku one takes a fifth longer";
  EXPECT_TRUE(are(32, 64));
  EXPECT_TRUE(are(48, 72));
  EXPECT_TRUE(are(48, 64));
}

TEST(LocalOperations, OfWhatCopiesEveryBlockAreManyAndOfTheRestFew) {
  Case c;
  c.collective = Collective::reduce_scatter;
  c.ranks = 64;
  c.element_bytes = 4;
  c.count = Count{64} * 16;
  const auto of = [&](const char* text) {
    return work_of_middle_rank(parse_choice(c.collective, text), c, test::example().compute).local_operations;
  };
  EXPECT_GE(of("noncommutative"), 64);
  EXPECT_LT(of("butterfly"), 16);
}

TEST(Counts, OfAlgorithmsByNodeAreThoseOfTheirPlace) {
  Simulations simulations(test::example(), {}, "block", nullptr);
  const Query query{{Collective::bcast, 4, 8}, 1024, parse_choice(Collective::bcast, "smp")};
  Experiment experiment{case_for(query.place, query.bytes), query.choice, simulations.cores(query.place), {}, 1, false};
  const Result result = make_engine("fast")->run(test::example(), {&experiment, 1}).front();
  EXPECT_EQ(simulations.messages(query), static_cast<double>(result.messages));
  const Query reduce{{Collective::allreduce, 4, 8}, 1024, parse_choice(Collective::allreduce, "smp")};
  experiment = {case_for(reduce.place, reduce.bytes), reduce.choice, simulations.cores(reduce.place), {}, 1, false};
  EXPECT_EQ(simulations.messages(reduce),
            static_cast<double>(make_engine("fast")->run(test::example(), {&experiment, 1}).front().messages));
}

}  // namespace
}  // namespace tutti
