#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "sim/proof/executor.hpp"
#include "tests/algos/executed.hpp"

namespace tutti {
namespace {

using proof::Execution;
using proof::Executor;

/// What an execution with one element per block and `ports` ports amounts to.
Execution gathered(Executor& executor, const std::string& choice, int p, int ports = 1) {
  const Choice chosen = parse_choice(Collective::allgather, choice);
  const Case c{Collective::allgather, p, 1, 1, 0, false, Operator::sum};
  const Choice real = resolve(chosen, c);
  Execution execution = executor.run(real.algorithm->function(), c, real, ports);
  EXPECT_FALSE(execution.fault) << choice << " p=" << p << ": " << execution.fault->text;
  const auto wrong = check_results(executor, c);
  EXPECT_FALSE(wrong) << choice << " p=" << p << ": " << wrong->text;
  return execution;
}

/// Rounds in which p blocks can be collected if each multiplies what is held by k.
int doublings(int p, int k = 2) {
  int rounds = 0;
  for (std::int64_t held = 1; held < p; held *= k) ++rounds;
  return rounds;
}

class EveryRankCount : public testing::Test {
 protected:
  /// Blocks are what a rank receives: p - 1, never one twice. Messages in all, and rounds.
  void expect(const std::string& choice, int p, std::int64_t messages, std::int64_t rounds, int ports = 1) {
    const Execution execution = gathered(executor_, choice, p, ports);
    EXPECT_EQ(execution.elements_sent, std::int64_t{p} * (p - 1)) << choice << " p=" << p;
    EXPECT_EQ(execution.messages, messages) << choice << " p=" << p;
    EXPECT_EQ(execution.rounds, rounds) << choice << " p=" << p;
  }
  Executor executor_;
};
using AllgatherOracle = EveryRankCount;

TEST_F(AllgatherOracle, SparbitSendsEveryBlockAloneInLogarithmicRoundsAtEveryP) {
  for (const int p : numbers_of_ranks_below(200)) expect("sparbit", p, std::int64_t{p} * (p - 1), doublings(p));
}

TEST_F(AllgatherOracle, BruckSendsOneMessageARoundAtEveryP) {
  for (const int p : numbers_of_ranks_below(200)) expect("bruck", p, std::int64_t{p} * doublings(p), doublings(p));
}

TEST_F(AllgatherOracle, KBruckSendsUpToRadixLessOneMessagesARoundAtEveryP) {
  for (const int k : {2, 3, 4, 5, 8})
    for (const int p : numbers_of_ranks_below(200)) {
      int sent = 0;  // by one rank: in each round, blocks from every multiple of what is held that is below p
      for (std::int64_t held = 1; held < p; held *= k)
        for (int j = 1; j < k; ++j) sent += j * held < p;
      expect("k_bruck:radix=" + std::to_string(k), p, std::int64_t{p} * sent, doublings(p, k), k - 1);
    }
}

TEST_F(AllgatherOracle, CirculantAndPatSendOneMessageARoundAtEveryP) {
  for (const char* choice : {"circulant", "pat"})
    for (const int p : numbers_of_ranks_below(200)) expect(choice, p, std::int64_t{p} * doublings(p), doublings(p));
}

TEST_F(AllgatherOracle, BineSendsEveryBlockAloneInLogarithmicRoundsAtEveryEvenP) {
  for (const int p : numbers_of_ranks_below(200))
    if (p % 2 == 0) expect("bine_block_by_block", p, std::int64_t{p} * (p - 1), doublings(p));
}

TEST_F(AllgatherOracle, RecursiveDoublingIsBruckWherePIsNoPowerOfTwo) {
  for (const int p : numbers_of_ranks_below(200))
    expect("recursive_doubling", p, std::int64_t{p} * doublings(p), doublings(p));
}

TEST_F(AllgatherOracle, TheRingTakesPLessOneRoundsAtEveryP) {
  for (const int p : numbers_of_ranks_below(200)) expect("ring", p, std::int64_t{p} * (p - 1), p - 1);
}

TEST_F(AllgatherOracle, NeighbourExchangeHalvesTheRingsRoundsWherePIsEven) {
  for (const int p : numbers_of_ranks_below(200))
    p % 2 == 0 ? expect("neighbor_exchange", p, std::int64_t{p} * p / 2, p / 2)
               : expect("neighbor_exchange", p, std::int64_t{p} * (p - 1), p - 1);
}

TEST(Allgather, TheRingOfEightSendsFiftySixMessages) {
  Executor executor;
  EXPECT_EQ(gathered(executor, "ring", 8).messages, 56);
}

TEST(Allgather, RecursiveExchangeOfPowersOfTheRadixSendsNothingTwice) {
  Executor executor;
  for (const auto& [k, p] : {std::pair{2, 16}, {3, 27}, {4, 64}, {5, 125}, {7, 7}}) {
    const Execution execution = gathered(executor, "recexch_doubling:radix=" + std::to_string(k), p, k - 1);
    EXPECT_EQ(execution.elements_sent, p * (p - 1));
    EXPECT_EQ(execution.messages, p * (k - 1) * doublings(p, k));
    EXPECT_EQ(execution.rounds, doublings(p, k));
  }
}

TEST(Allgather, ARadixFarAboveTheRanksIsOneRoundOfDirectMessages) {
  Executor executor;
  for (const char* choice : {"k_bruck:radix=4096G", "recexch_doubling:radix=4096G", "recexch_halving:radix=4096G"})
    for (int p = 2; p < 20; ++p) {
      const Execution execution = gathered(executor, choice, p, p);
      EXPECT_EQ(execution.messages, p * (p - 1)) << choice;
      EXPECT_EQ(execution.rounds, 1) << choice;
    }
}

// --- blocks of different sizes, as allgatherv has them ---

std::vector<Count> irregular_firsts;  // and where the last one ends
AlgorithmFunction irregular_inner;
bool irregular_in_place;

/// Makes of a regular call one with the blocks above; what is left of out stays undefined.
Task irregular(Comm comm, Call call) {
  call.blocks = {comm.size(), 0, 0, irregular_firsts.data()};
  call.out = call.out.slice(0, call.blocks.total());
  const View own = call.block(comm.rank());
  if (irregular_in_place) co_await comm.wait(comm.copy(own, call.in.slice(0, own.elements())));
  call.in = irregular_in_place ? own : call.in.slice(0, own.elements());
  call.in_place = irregular_in_place;
  co_await irregular_inner(comm, call);
}

void expect_irregular(Executor& executor, const Algorithm& algorithm, int p) {
  irregular_inner = algorithm.function();
  irregular_firsts.clear();
  Count total = 0;
  for (int r = 0; r < p; ++r) {
    irregular_firsts.push_back(total);
    total += (r * 5 + 1) % 7 % 4;
  }
  irregular_firsts.push_back(total);
  const Case c{Collective::allgather, p, 4, 1, 0, false, Operator::sum};
  Execution execution = executor.run(irregular, c, default_choice(algorithm), p);
  ASSERT_FALSE(execution.fault) << algorithm.name() << " p=" << p << ": " << execution.fault->text;
  for (Rank rank = 0; rank < p; ++rank)
    for (Rank from = 0; from < p; ++from)
      for (Count i = 0; i < irregular_firsts[from + 1] - irregular_firsts[from]; ++i)
        ASSERT_EQ(executor.buffers(rank)[View::kOut][irregular_firsts[from] + i],
                  proof::input_symbol(executor.terms().leaf(from), i))
            << algorithm.name() << " p=" << p << " rank " << rank << " block " << from << "[" << i << "]";
}

TEST(Allgather, EveryAlgorithmGathersBlocksOfDifferentSizes) {
  Executor executor;
  for (const Algorithm* algorithm : algorithms_of(Collective::allgather))
    for (int p = 1; p <= 33; ++p) {
      const Case c{Collective::allgather, p, 4, 1, 0, false, Operator::sum};
      const Choice choice = default_choice(*algorithm);
      if (!why_not(choice, c).empty() || resolve(choice, c).algorithm != algorithm) continue;
      for (const bool in_place : {false, true}) {
        irregular_in_place = in_place;
        expect_irregular(executor, *algorithm, p);
      }
    }
}

/// Five blocks of 7 elements in segments of 3, 3 and 1, around a ring of five.
TEST(Allgather, OfASegmentedRingEachSegmentIsAMessageAndARound) {
  const Case c{Collective::allgather, 5, 7, 4, 0, false, Operator::sum};
  const proof::Execution done = executed("segmented_ring:segment=12", c, {});
  EXPECT_EQ(done.messages, 5 * 4 * 3);
  EXPECT_EQ(done.rounds, 4 * 3);
  EXPECT_EQ(done.elements_sent, 5 * 4 * 7);
}

}  // namespace
}  // namespace tutti
