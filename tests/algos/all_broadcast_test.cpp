#include "algos/patterns/all_broadcast.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "algos/patterns/circulant.hpp"
#include "sim/proof/executor.hpp"

namespace tutti {
namespace {

using proof::Execution;

/// As the proof's executor has run it, without a fault and with the right results. The element of a reduction has as
/// many bytes as any other's.
Execution in_blocks(const Case& c, Count segment) {
  static proof::Executor executor;
  const Choice choice = parse_choice(c.collective, "circulant_blocks:segment=" + std::to_string(segment));
  Execution execution = executor.run(choice.algorithm->function(), c, choice, 1);
  EXPECT_FALSE(execution.fault) << name_of(c.collective) << " p=" << c.ranks << ": " << execution.fault->text;
  const auto wrong = check_results(executor, c);
  EXPECT_FALSE(wrong) << name_of(c.collective) << " p=" << c.ranks << ": " << wrong->text;
  return execution;
}

std::vector<int> numbers_of_ranks() {
  std::vector<int> numbers;
  if (std::getenv("TUTTI_SLOW_TESTS")) {
    for (int p = 2; p <= 64; ++p) numbers.push_back(p);
    numbers.insert(numbers.end(), {100, 127, 128, 129, 255, 256, 257});
  } else {
    for (int p = 2; p <= 34; ++p) numbers.push_back(p);
    numbers.insert(numbers.end(), {49, 63, 64, 65, 100, 127, 128, 129});
  }
  return numbers;
}

int fewest_rounds(int p) {
  int rounds = 0;
  for (int heard = 1; heard < p; heard *= 2) ++rounds;
  return rounds;
}

/// Of so many segments of one byte each; of the fewest where ranks are many.
void expect_fewest_rounds(Collective collective, const std::vector<Count>& segments, int times = 1) {
  const bool is_gathered = collective == Collective::allgather || collective == Collective::allgatherv;
  for (const int p : numbers_of_ranks()) {
    if (p > 129 && times > 1) break;  // its halves stand for it
    for (const Count n : segments) {
      if (p > 64 && n != segments[0]) continue;
      const Execution execution = in_blocks({collective, p, is_gathered ? n : p * n, 1}, 1);
      const std::int64_t rounds = n - 1 + fewest_rounds(p);
      EXPECT_EQ(execution.rounds, times * rounds) << p << " ranks, " << n << " segments";
      EXPECT_EQ(execution.messages, rounds * times * p) << p << " ranks, " << n << " segments";
      EXPECT_EQ(execution.elements_sent, n * times * p * (p - 1)) << p << " ranks, " << n << " segments";
    }
  }
}

TEST(AllBroadcast, TakesTheFewestRoundsForAnyNumberOfRanksAndSegmentsAndSendsNothingTwice) {
  expect_fewest_rounds(Collective::allgather, {1, 2, 5});
  expect_fewest_rounds(Collective::allgatherv, {2, 3});
}

TEST(AllReduction, TakesTheFewestRoundsForAnyNumberOfRanksAndSegmentsAndSendsNothingTwice) {
  expect_fewest_rounds(Collective::reduce_scatter, {1, 4});
}

TEST(AllReduction, AndAllBroadcastAreAnAllreduceOfTwiceTheRounds) {
  expect_fewest_rounds(Collective::allreduce, {1, 3}, 2);
}

TEST(AllBroadcast, OfOneRanksBlockIsItsBroadcast) {
  for (const int p : numbers_of_ranks())
    for (const Count segments : {1, 2, 9}) {
      const Case c = with_counts({Collective::allgatherv, p, 0, 1}, "one:" + std::to_string(p / 3), 7 * segments);
      const Execution execution = in_blocks(c, 7);
      EXPECT_EQ(execution.rounds, segments - 1 + fewest_rounds(p)) << p << " ranks, " << segments << " segments";
      EXPECT_EQ(execution.messages, (p - 1) * segments) << p << " ranks, " << segments << " segments";
      EXPECT_EQ(execution.elements_sent, segments * 7 * (p - 1)) << p << " ranks, " << segments << " segments";
    }
}

/// (round, sender, receiver) of the segments that are not empty of the broadcast of so many bytes in `segments`.
using Messages = std::set<std::array<Count, 3>>;
void add_broadcast(Messages& messages, int p, Rank root, Count bytes, Count segments) {
  for (int v = 0; v < p; ++v) {
    Count number = 0;
    for (const CirculantRound& round : circulant_bcast_rounds(p, v, segments)) {
      if (round.sent >= 0 && round.sent < bytes)
        messages.insert({number, real_rank(v, root, p), real_rank(round.to, root, p)});
      ++number;
    }
  }
}

TEST(AllBroadcast, SendsInOneMessageWhatTheBroadcastsOfAllBlocksSendToARankInARound) {
  for (const int p : {2, 3, 5, 8, 13, 31, 64, 65, 100, 129})
    for (const char* text : {"random:3", "zipf:1.5", "zipf:3:2"})
      for (const Count segment : {1, 3}) {
        const Case c = with_counts({Collective::allgatherv, p, 0, 1}, text, Count{2} * p);
        const Blocks blocks = c.counts->blocks();
        const Count segments = (blocks.largest() + segment - 1) / segment;
        Messages messages;
        for (Rank root = 0; root < p; ++root) add_broadcast(messages, p, root, blocks.count(root), segments);
        const Execution execution = in_blocks(c, segment);
        EXPECT_EQ(execution.messages, static_cast<std::int64_t>(messages.size()))
            << text << ", " << p << " ranks, segments of " << segment;
        EXPECT_EQ(execution.rounds, segments - 1 + fewest_rounds(p))
            << text << ", " << p << " ranks, segments of " << segment;
        EXPECT_EQ(execution.elements_sent, (p - 1) * blocks.total()) << text << ", " << p << " ranks";
      }
}

TEST(AllBroadcast, OfNothingSendsNothing) {
  for (const Collective collective :
       {Collective::allgather, Collective::allgatherv, Collective::reduce_scatter, Collective::allreduce})
    EXPECT_EQ(in_blocks({collective, 9, 0, 1}, 8).messages, 0) << name_of(collective);
}

}  // namespace
}  // namespace tutti
