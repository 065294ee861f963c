#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/proof/executor.hpp"
#include "sim/proof/verify.hpp"

namespace tutti {
namespace {

using proof::Execution;
using proof::Executor;

Case case_of(Collective collective, int ranks, Count count, Operator op = Operator::sum) {
  return {collective, ranks, count, 4, 0, false, op};
}

Execution reduced(Collective collective, const std::string& choice, int ranks, Count count) {
  Executor executor;
  const Choice chosen = parse_choice(collective, choice);
  Execution execution = executor.run(chosen.algorithm->function(), case_of(collective, ranks, count), chosen, 1);
  EXPECT_FALSE(execution.fault) << choice << ": " << execution.fault->text;
  return execution;
}

TEST(Allreduce, HasTheMessagesOfTheTextbookAtSevenEightAndNineRanks) {
  const auto messages = [](const char* choice, int ranks) {
    return reduced(Collective::allreduce, choice, ranks, 90).messages;
  };
  EXPECT_EQ(messages("recursive_doubling", 8), 24);
  EXPECT_EQ(messages("recursive_doubling", 7), 4 * 2 + 3 + 3);  // four fold from seven, three in and three out
  EXPECT_EQ(messages("recursive_doubling", 9), 24 + 1 + 1);
  EXPECT_EQ(messages("ring", 8), 2 * 56);
  EXPECT_EQ(messages("rabenseifner", 8), 2 * 24);
  EXPECT_EQ(messages("rabenseifner", 9), 2 * 24 + 4);
  EXPECT_EQ(messages("tree", 9), 2 * 8);
}

TEST(Allreduce, RabenseifnerMovesWhatTheRingMovesAndOneFoldedRankTwoAndAHalfVectorsMore) {
  for (const int ranks : {2, 4, 8, 16, 32}) {
    const Count count = 64;
    const std::int64_t core = reduced(Collective::allreduce, "rabenseifner", ranks, count).elements_sent;
    EXPECT_EQ(core, reduced(Collective::allreduce, "ring", ranks, count).elements_sent);
    EXPECT_EQ(reduced(Collective::allreduce, "rabenseifner", ranks + 1, count).elements_sent - core, count * 5 / 2);
  }
}

TEST(Allreduce, ASegmentedRingGoesAroundOnceMoreWhereTheRestFillsMoreThanHalfARound) {
  const auto phases = [](Count count) {  // of 4 ranks with segments of 2 elements: 8 elements a round
    return reduced(Collective::allreduce, "segmented_ring:segment=8", 4, count).messages / 12 - 1;
  };
  EXPECT_EQ(phases(16), 2);
  EXPECT_EQ(phases(20), 2);
  EXPECT_EQ(phases(21), 3);
  EXPECT_EQ(phases(24), 3);
}

TEST(Allreduce, ASegmentedRingIsRightForEveryRemainder) {
  Executor executor;
  for (const char* choice : {"segmented_ring:segment=4", "segmented_ring:segment=8", "segmented_ring:segment=20"})
    for (int ranks = 1; ranks < 8; ++ranks)
      for (Count count = 0; count < 70; ++count) {
        const Choice chosen = parse_choice(Collective::allreduce, choice);
        const auto fault = proof::prove(executor, chosen, case_of(Collective::allreduce, ranks, count));
        EXPECT_FALSE(fault) << choice << " ranks=" << ranks << " count=" << count << ": " << fault->text;
      }
}

TEST(Allreduce, IsRightForEveryRadix) {
  Executor executor;
  for (const char* name : {"recursive_multiplying", "recexch", "k_reduce_scatter_allgather", "tree"})
    for (const char* radix : {"4", "5", "7", "8", "1000"})
      for (int ranks = 1; ranks <= 40; ++ranks)
        for (const Count count : {0, 1, ranks, 3 * ranks + 1})
          for (const Operator op : {Operator::sum, Operator::user}) {
            const Choice choice = parse_choice(Collective::allreduce, std::string(name) + ":radix=" + radix);
            const Case c = case_of(Collective::allreduce, ranks, count, op);
            if (!why_not(choice, c).empty()) continue;
            const auto fault = proof::prove(executor, choice, c);
            EXPECT_FALSE(fault) << proof::text_of(choice, c) << ": " << fault->text;
          }
}

TEST(ReduceScatter, RecursiveDoublingSendsAtEachStepAllButWhatIsAlreadyReduced) {
  for (const int ranks : {2, 4, 8, 16, 64}) {
    const Count block = 3, vector = block * ranks, steps = std::lround(std::log2(ranks));
    EXPECT_EQ(reduced(Collective::reduce_scatter_block, "recursive_doubling", ranks, block).elements_sent,
              ranks * (steps * vector - block * (ranks - 1)));
  }
}

TEST(ReduceScatter, RecursiveDistanceDoublingHalvesTheVectorAndThenPutsRightAllBlocksButThoseOfPalindromes) {
  int palindromes = 1;  // numbers of so many bits that read the same backwards
  for (int bits = 1; bits <= 6; ++bits) {
    const int ranks = 1 << bits;
    palindromes *= bits % 2 == 1 ? 2 : 1;
    const Execution execution =
        reduced(Collective::reduce_scatter, "recursive_distance_doubling", ranks, Count{3} * ranks);
    EXPECT_EQ(execution.messages, ranks * bits + ranks - palindromes);
    EXPECT_EQ(execution.elements_sent, ranks * 3 * (ranks - 1) + 3 * (ranks - palindromes));
  }
}

TEST(ReduceScatter, RecursiveDistanceDoublingFoldsByHalvesWhereRanksAreNoPowerOfTwo) {
  for (const int ranks : {3, 5, 6, 7, 9, 12, 33, 48, 63}) {
    const int bits = static_cast<int>(std::log2(ranks)), core = 1 << bits, folded = ranks - core;
    for (const Collective collective : {Collective::reduce_scatter, Collective::reduce_scatter_block}) {
      const Count vector = Count{2} * ranks;  // of two elements for each rank
      const Execution execution = reduced(collective, "recursive_distance_doubling", ranks,
                                          collective == Collective::reduce_scatter ? vector : 2);
      const int palindromes = 1 << (bits + 1) / 2;
      EXPECT_EQ(execution.messages, core * bits + core - palindromes + 4 * folded) << ranks;
      // A pair sends each other half of the vector, and one of them half of the other's sum.
      EXPECT_EQ(execution.elements_sent, vector * (ranks - 1) + vector / 2 * folded + Count{2} * (ranks - palindromes))
          << ranks;
    }
  }
}

// Blocks of any sizes, as MPI_Reduce_scatter has them: the call under test is given them and a result buffer of its
// own.

struct Irregular {
  std::vector<Count> firsts;  // and where the last one ends
  Count count(std::size_t rank) const { return firsts[rank + 1] - firsts[rank]; }
  AlgorithmFunction algorithm = nullptr;
};
Irregular drawn_blocks;

Task with_irregular_blocks(Comm comm, Call call) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  call.out = comm.scratch(drawn_blocks.count(rank));
  call.blocks = {comm.size(), 0, 0, drawn_blocks.firsts.data()};
  co_await drawn_blocks.algorithm(comm, call);
}

void expect_reduced(const Algorithm& algorithm, const Case& c) {
  Executor executor;
  drawn_blocks.algorithm = algorithm.function();
  const Execution execution = executor.run(with_irregular_blocks, c, default_choice(algorithm), 1);
  ASSERT_FALSE(execution.fault) << algorithm.full_name() << " ranks=" << c.ranks << ": " << execution.fault->text;
  std::vector<Rank> all(static_cast<std::size_t>(c.ranks));
  std::iota(all.begin(), all.end(), 0);
  for (Rank rank = 0; rank < c.ranks; ++rank)
    for (Count i = 0; i < drawn_blocks.count(static_cast<std::size_t>(rank)); ++i) {
      const proof::Symbol got = executor.buffers(rank)[View::kFirstScratch][i];
      std::vector<Rank> contributions = executor.terms().ranks(got.term);
      if (is_commutative(c.op)) std::sort(contributions.begin(), contributions.end());
      EXPECT_EQ(contributions, all) << algorithm.full_name() << " ranks=" << c.ranks << " rank=" << rank;
      EXPECT_EQ(got.element, drawn_blocks.firsts[static_cast<std::size_t>(rank)] + i) << algorithm.full_name();
    }
}

TEST(ReduceScatter, TakesBlocksOfAnySizes) {
  const std::array<Count, 7> pattern{2, 0, 5, 1, 0, 0, 3};
  for (int ranks = 1; ranks <= 33; ++ranks)
    for (std::size_t shift = 0; shift < pattern.size(); ++shift) {
      drawn_blocks = {};
      Count total = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        drawn_blocks.firsts.push_back(total);
        total += pattern[(static_cast<std::size_t>(rank) + shift) % pattern.size()];
      }
      drawn_blocks.firsts.push_back(total);
      for (const Algorithm* algorithm : algorithms_of(Collective::reduce_scatter))
        for (const Operator op : {Operator::sum, Operator::user}) {
          const Case c = case_of(Collective::reduce_scatter, ranks, total, op);
          if (algorithm->name() == "noncommutative") continue;  // for blocks of one size
          const Choice choice = default_choice(*algorithm);
          if (!why_not(choice, c).empty() || resolve(choice, c) != choice) continue;
          expect_reduced(*algorithm, c);
        }
    }
}

}  // namespace
}  // namespace tutti
