#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "algos/case.hpp"
#include "algos/registry.hpp"
#include "base/error.hpp"
#include "sim/proof/executor.hpp"

namespace tutti {
namespace {

constexpr Collective kIrregular[] = {Collective::allgatherv, Collective::alltoallv, Collective::gatherv,
                                     Collective::scatterv};

std::vector<Count> of_ranks(const std::string& text, int ranks, Count total) {
  const auto counts = BlockCounts::from(text, ranks, total, false);
  std::vector<Count> all;
  for (Rank rank = 0; rank < ranks; ++rank) all.push_back(counts->blocks().count(rank));
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), Count{0}), total) << text;
  EXPECT_EQ(counts->text(), text);
  return all;
}

std::string refusal_of_counts(const std::string& text, int ranks = 4) {
  try {
    static_cast<void>(BlockCounts::from(text, ranks, 100, false));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

Case a_case_of(Collective collective, int ranks, Rank root = 0) {
  return {collective, ranks, 5, 1, root, false, Operator::sum};
}

TEST(Irregular, CollectivesHaveNamesThatLeadBackAndAreNotAmongTheRegularOnes) {
  for (const Collective c : kIrregular) {
    EXPECT_TRUE(is_irregular(c));
    EXPECT_EQ(any_collective_named(name_of(c)), c);
    EXPECT_THROW(static_cast<void>(collective_named(name_of(c))), InputError);
    EXPECT_FALSE(algorithms_of(c).empty());
  }
  EXPECT_EQ(any_collective_named("bcast"), Collective::bcast);
  EXPECT_FALSE(is_irregular(Collective::scatter));
  EXPECT_TRUE(is_rooted(Collective::gatherv) && is_rooted(Collective::scatterv));
  EXPECT_FALSE(is_rooted(Collective::allgatherv) || is_rooted(Collective::alltoallv));
}

TEST(Counts, AddUpToTheTotalHoweverTheyAreDivided) {
  EXPECT_EQ(of_ranks("equal", 4, 10), (std::vector<Count>{3, 3, 2, 2}));
  EXPECT_EQ(of_ranks("one:2", 4, 10), (std::vector<Count>{0, 0, 10, 0}));
  EXPECT_EQ(of_ranks("one", 2, 7), (std::vector<Count>{7, 0}));
  for (const int ranks : {1, 2, 7, 64, 1000})
    for (const Count total : {Count{0}, Count{1}, Count{999}, Count{1} << 50})
      for (const char* text : {"zipf:1.2", "zipf:0", "zipf:100:9", "random", "random:5"}) {
        const std::vector<Count> counts = of_ranks(text, ranks, total);
        EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 0) << text;
      }
}

TEST(Counts, OfZipfFallByThePowerOfTheirRankAndTheSeedSaysWhoHasWhich) {
  std::vector<Count> counts = of_ranks("zipf:1", 4, 300);
  EXPECT_NE(counts, of_ranks("zipf:1:2", 4, 300)) << "another seed";
  std::sort(counts.begin(), counts.end(), std::greater<>());
  EXPECT_EQ(counts, (std::vector<Count>{144, 72, 48, 36})) << "1, 1/2, 1/3 and 1/4 of 144";
}

TEST(Counts, AtRandomLeaveOneOfFiveEmpty) {
  const std::vector<Count> counts = of_ranks("random:3", 1000, 1'000'000);
  EXPECT_NEAR(static_cast<double>(std::count(counts.begin(), counts.end(), 0)), 200, 50);
  EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 3000);
}

TEST(Counts, OfPairsAreTheSameSeenFromBothSides) {
  const auto counts = BlockCounts::from("random:4", 5, 1000, true);
  EXPECT_EQ(counts->total(), 1000);
  EXPECT_EQ(counts->size(), 25u);
  for (Rank from = 0; from < 5; ++from) {
    EXPECT_EQ(counts->exchange(from).sent.total(), 200);
    for (Rank to = 0; to < 5; ++to) EXPECT_EQ(counts->exchange(to).received.count(from), counts->from_to(from, to));
  }
  const auto hot = BlockCounts::from("one:3", 5, 1000, true);
  EXPECT_EQ(hot->exchange(3).received.total(), 1000);
  EXPECT_EQ(hot->exchange(2).received.total(), 0);
}

TEST(Counts, MayBeGivenAndAreThenExactAtTheirOwnTotalAndInProportionAtOthers) {
  const auto given = BlockCounts::from("as:5:0:1000:7", 4, 1012, false);
  const auto more = BlockCounts::from("as:5:0:1000:7", 4, 10120, false);
  const auto pairs = BlockCounts::from("as:5:0:2:9", 2, 16, true);
  for (const auto& [rank, count] : std::map<Rank, Count>{{0, 5}, {1, 0}, {2, 1000}, {3, 7}}) {
    EXPECT_EQ(given->blocks().count(rank), count);
    EXPECT_EQ(more->blocks().count(rank), 10 * count);
    EXPECT_EQ(pairs->from_to(rank / 2, rank % 2), (std::vector<Count>{5, 0, 2, 9}[static_cast<std::size_t>(rank)]));
  }
  EXPECT_EQ(given->text(), "as:5:0:1000:7");
  const std::string uneven = "as:10:200:3000:5:7:11:0:1:2";  // 1078 and two thirds are sent by each
  EXPECT_EQ(BlockCounts::from(uneven, 3, Count{3} * 1078, true)->total(), 3236) << "themselves at their own size";
  EXPECT_EQ(BlockCounts::from(uneven, 3, Count{3} * 1078, true)->from_to(0, 2), 3000);
  EXPECT_EQ(BlockCounts::from(uneven, 3, Count{3} * 1079, true)->total(), Count{3} * 1079);
  EXPECT_THROW(static_cast<void>(BlockCounts::from("as:5:0", 3, 9, false)), InputError);
  EXPECT_THROW(static_cast<void>(BlockCounts::from("as:5:0", 2, 9, true)), InputError);
  EXPECT_THROW(static_cast<void>(BlockCounts::from("as:5:-1", 2, 9, false)), InputError);
}

TEST(Counts, MistakesAreRefusedWithWhatWasExpected) {
  for (const char* text : {"zipf", "zipf:x", "zipf:-1", "zipf:1:2:3", "zipf:1:", "zipf:nan", "random:x", "one:-1",
                           "equal:1", "", "zip:1", "zipf:101"})
    EXPECT_NE(refusal_of_counts(text).find("expected equal, zipf:EXPONENT[:SEED]"), std::string::npos) << text;
  EXPECT_EQ(refusal_of_counts("one:4"), "counts 'one:4': expected a rank of 4");
  EXPECT_THROW(BlockCounts({1, -1}), InputError);
  EXPECT_THROW(BlockCounts({Count{1} << 56, 1}), InputError);
  EXPECT_THROW(BlockCounts(2, {1, 2, 3}), InputError);
  EXPECT_THROW(BlockCounts(2, {1, 2, 3, -4}), InputError);
  EXPECT_THROW(static_cast<void>(with_counts(a_case_of(Collective::gatherv, 3), "random", Count{1} << 60)), InputError);
  EXPECT_THROW(static_cast<void>(with_counts(a_case_of(Collective::gather, 3), "random", 10)), InputError);
  try {
    static_cast<void>(with_counts(Case{Collective::gatherv, 1, 0, 4}, "equal", (Count{1} << 54) + 3));
    ADD_FAILURE() << "too many bytes";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "gatherv of 18014398509481987 elements of 4 bytes: expected at most 2^56 bytes in all");
  }
  const auto of_two = BlockCounts::from("equal", 2, 10, false);
  EXPECT_THROW(static_cast<void>(with_counts(a_case_of(Collective::gatherv, 3), of_two)), InputError);
  EXPECT_THROW(static_cast<void>(with_counts(a_case_of(Collective::alltoallv, 2), of_two)), InputError);
  Case in_place = a_case_of(Collective::alltoallv, 2);
  in_place.in_place = true;
  EXPECT_THROW(static_cast<void>(with_counts(in_place, "random", 10)), InputError);
  const auto ring = Neighborhood::from("3", 3);
  const auto many = std::make_shared<BlockCounts>(*ring, std::vector<Count>{Count{1} << 54, 1, 1}, false);
  Case among = with_neighborhood(a_case_of(Collective::neighbor_allgatherv, 3), ring);
  among.element_bytes = 8;
  EXPECT_THROW(static_cast<void>(with_counts(among, many)), InputError);
  const auto by_many = std::make_shared<Neighborhood>(2, std::vector<Neighborhood::Edge>(3, {0, 1}));
  EXPECT_THROW(BlockCounts(*by_many, {Count{1} << 55, 0}, false), InputError) << "received three times";
}

TEST(Irregular, ACaseKnowsItsSizesAndItsBuffersAreThoseOfEachRank) {
  const auto counts = std::make_shared<BlockCounts>(std::vector<Count>{4, 0, 7});
  const Case gather = with_counts(a_case_of(Collective::gatherv, 3, 1), counts);
  EXPECT_EQ(total_bytes(gather), 11);
  EXPECT_EQ(gather.count, 3) << "the mean, rounded down";
  EXPECT_EQ(buffer_sizes(gather, 2).in, 7);
  EXPECT_EQ(buffer_sizes(gather, 2).out, 0);
  EXPECT_EQ(buffer_sizes(gather, 1).out, 11);
  EXPECT_EQ(make_call(gather, 1).block(2), View::contiguous(View::kOut, 4, 7));
  EXPECT_EQ(buffer_sizes(with_counts(a_case_of(Collective::scatterv, 3, 1), counts), 0).out, 4);
  const auto pairs = std::make_shared<BlockCounts>(2, std::vector<Count>{1, 2, 3, 4});
  const Case exchange = with_counts(a_case_of(Collective::alltoallv, 2), pairs);
  EXPECT_EQ(total_bytes(exchange), 5) << "what a rank sends, in the mean";
  EXPECT_EQ(buffer_sizes(exchange, 0).in, 3);
  EXPECT_EQ(buffer_sizes(exchange, 0).out, 4);
  EXPECT_EQ(make_call(exchange, 1).incoming(0), View::contiguous(View::kOut, 0, 2));
  EXPECT_EQ(make_call(exchange, 1).incoming(1), View::contiguous(View::kOut, 2, 4));
}

TEST(Irregular, AReduceScatterDividesItsVectorAsCountsSay) {
  const Case even = {Collective::reduce_scatter, 3, 11, 4};
  EXPECT_EQ(make_call(even, 1).blocks.count(1), 4) << "without counts as evenly as may be";
  const Case c = with_counts(even, std::make_shared<BlockCounts>(std::vector<Count>{4, 0, 7}));
  EXPECT_EQ(c.count, 11) << "the whole vector";
  EXPECT_EQ(total_bytes(c), 44);
  for (const auto& [rank, own] : {std::pair(0, 4), {1, 0}, {2, 7}}) {
    EXPECT_EQ(buffer_sizes(c, rank).in, 11);
    EXPECT_EQ(buffer_sizes(c, rank).out, own);
  }
  EXPECT_EQ(make_call(c, 0).block(2), View::contiguous(View::kIn, 4, 7));
  Case in_place = c;
  in_place.in_place = true;
  EXPECT_EQ(buffer_sizes(in_place, 2).out, 11);
  EXPECT_EQ(make_call(in_place, 2).out.elements(), 7) << "the front of the vector";
  const Case equal = with_counts(even, "equal", 11);
  for (Rank rank = 0; rank < 3; ++rank) EXPECT_EQ(buffer_sizes(equal, rank).out, buffer_sizes(even, rank).out);
  EXPECT_THROW(static_cast<void>(with_counts({Collective::reduce_scatter_block, 3, 11, 4}, "one", 11)), InputError);
}

/// Blocks that are rotated in place are moved in runs as long as the smallest of them, unless that are too many.
TEST(Irregular, ABlockOfOneElementDoesNotCutTheOthersIntoElements) {
  for (const bool in_place : {false, true}) {
    Case c{Collective::allgatherv, 5, 0, 1, 0, in_place};
    c.counts = std::make_shared<BlockCounts>(std::vector<Count>{1, 4000, 0, 5, 3000});
    c.count = 7006;
    const Choice choice = parse_choice(c.collective, "bruck");
    proof::Executor executor;
    const proof::Execution execution = executor.run(choice.algorithm->function(), c, choice, 1, {}, 40);
    EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text, "");
    const auto wrong = check_results(executor, c);
    EXPECT_FALSE(wrong) << wrong->text;
  }
}

TEST(Irregular, MoreMessagesThanAnybodySimulatesAreCountedAtOnce) {
  Case c{Collective::allgatherv, 6, 0, 1, 0, false};
  c.counts = std::make_shared<BlockCounts>(std::vector<Count>{Count{1} << 50, 1, 0, 5, 7, 9});
  c.count = (Count{1} << 50) + 22;
  const Choice choice = parse_choice(c.collective, "circulant_blocks:segment=1024");
  EXPECT_GT(choice.algorithm->messages()(Facts(c, choice.parameters, {})), 1e12);
}

TEST(Irregular, WhatNeedsEvenBlocksSaysSo) {
  const auto reason = [](const char* choice, const char* text, Count count) {
    const Case c = with_counts({Collective::reduce_scatter, 4, count, 4}, text, count);
    return why_not(parse_choice(Collective::reduce_scatter, choice), c);
  };
  EXPECT_EQ(reason("noncommutative", "equal", 8), "");
  EXPECT_EQ(reason("noncommutative", "as:1:0:0:7", 8), "needs blocks of one size") << "though 4 divides 8";
  for (const char* const composed : {"hier", "permuted"}) {
    EXPECT_EQ(reason(composed, "equal", 10), "");
    EXPECT_EQ(reason(composed, "one:2", 10), "needs blocks that differ by one element at most");
  }
  EXPECT_EQ(reason("bine_send_remap", "one:2", 10), "");
}

TEST(Irregular, WhereAnElementComesFromPassesOverEmptyBlocks) {
  const auto counts = std::make_shared<BlockCounts>(std::vector<Count>{0, 2, 0, 0, 1});
  const Case c = with_counts(a_case_of(Collective::allgatherv, 5), counts);
  for (const auto& [element, rank, there] : {std::tuple<Count, Rank, Count>{0, 1, 0}, {1, 1, 1}, {2, 4, 0}}) {
    EXPECT_EQ(origin_of(c, 3, element).rank, rank);
    EXPECT_EQ(origin_of(c, 3, element).element, there);
  }
  const auto pairs = std::make_shared<BlockCounts>(3, std::vector<Count>{1, 2, 3, 0, 0, 4, 5, 6, 0});
  const Case exchange = with_counts(a_case_of(Collective::alltoallv, 3), pairs);
  EXPECT_EQ(origin_of(exchange, 1, 2).rank, 2) << "after two from 0 and none from 1";
  EXPECT_EQ(origin_of(exchange, 1, 2).element, 5);
}

}  // namespace
}  // namespace tutti
