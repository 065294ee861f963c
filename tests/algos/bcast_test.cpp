#include <gtest/gtest.h>

#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

namespace tutti {
namespace {

using proof::Execution;
using proof::Executor;

Execution broadcast(Executor& executor, const std::string& name, int p, Count bytes, Rank root) {
  const Choice choice = parse_choice(Collective::bcast, name);
  const Case c{Collective::bcast, p, bytes, 1, root, false, Operator::sum};
  Execution execution = executor.run(choice.algorithm->function(), c, choice, 1);
  EXPECT_FALSE(execution.fault) << name << " p=" << p << ": " << execution.fault->text;
  const auto wrong = check_results(executor, c);
  EXPECT_FALSE(wrong) << name << " p=" << p << ": " << wrong->text;
  return execution;
}

/// Blocks that relative rank r owns after a binomial scatter among p ranks.
int owned(int r, int p) {
  int span = 1;
  while (r % (2 * span) == 0 && span < p) span *= 2;
  return r + span > p ? p - r : span;
}

/// The scatter of n bytes in blocks of ceil(n/p): one message to each rank whose subtree has bytes.
Execution scatter(int p, Count n) {
  const Count block = (n + p - 1) / p;
  Execution sum;
  for (int r = 1; r < p; ++r) {
    const Count bytes = std::min(n, (r + owned(r, p)) * block) - std::min(n, r * block);
    sum.messages += bytes > 0;
    sum.elements_sent += bytes;
  }
  return sum;
}

Count saved_messages(int p) {
  Count saved = 0;
  for (int r = 0; r < p; ++r) saved += owned(r, p) - 1;
  return saved;
}

TEST(CirculantBcast, TakesTheFewestRoundsForAnyNumberOfRanksAndBlocks) {
  Executor executor;
  for (int p : {2, 3, 4, 5, 7, 8, 9, 17, 31, 33, 64, 65, 66, 67, 69, 73, 81, 100, 127, 128, 129, 255, 256, 257})
    for (const Count blocks : {1, 2, 3, 5, 8, 16, 17}) {
      const Execution execution = broadcast(executor, "circulant:segment=1", p, blocks, p / 3);
      int doublings = 0;
      for (int heard = 1; heard < p; heard *= 2) ++doublings;
      EXPECT_EQ(execution.rounds, blocks - 1 + doublings) << p << " ranks, " << blocks << " blocks";
      EXPECT_EQ(execution.messages, (p - 1) * blocks) << p << " ranks, " << blocks << " blocks";
    }
}

class ScatterRing : public testing::Test {
 protected:
  Executor executor_;
};

TEST_F(ScatterRing, NativeCountsAreThoseOfTheClosedFormAtEveryP) {
  for (const int p : numbers_of_ranks_below(130))
    for (const Count n : {Count{p}, Count{10} * p, Count{10} * p + 3, std::max<Count>(1, p / 2), Count{97}}) {
      const Execution native = broadcast(executor_, "scatter_ring", p, n, p / 3), first = scatter(p, n);
      EXPECT_EQ(native.messages, first.messages + Count{p} * (p - 1)) << p << " ranks, " << n << " bytes";
      EXPECT_EQ(native.elements_sent, first.elements_sent + (p - 1) * n) << p << " ranks, " << n << " bytes";
    }
}

TEST_F(ScatterRing, TunedSavesTheBlocksThatReceiversOwnAndIsVolumeOptimalAtEveryP) {
  for (const int p : numbers_of_ranks_below(130))
    for (const Count n : {Count{p}, Count{10} * p, Count{10} * p + 3, std::max<Count>(1, p / 2), Count{97}}) {
      const Execution tuned = broadcast(executor_, "scatter_ring_tuned", p, n, p / 3), first = scatter(p, n);
      EXPECT_EQ(tuned.messages, first.messages + Count{p} * (p - 1) - saved_messages(p))
          << p << " ranks, " << n << " bytes";
      EXPECT_EQ(tuned.elements_sent, (p - 1) * n) << p << " ranks, " << n << " bytes";
    }
}

TEST_F(ScatterRing, TheRingsOfEightAndTenSendWhatZhouEtAlCount) {
  struct {
    int ranks;
    Count native, tuned;
  } const published[] = {{8, 56, 44}, {10, 90, 75}};
  for (const auto& [p, native, tuned] : published) {
    EXPECT_EQ(broadcast(executor_, "scatter_ring", p, p, 0).messages - (p - 1), native);
    EXPECT_EQ(broadcast(executor_, "scatter_ring_tuned", p, p, 0).messages - (p - 1), tuned);
  }
}

TEST_F(ScatterRing, ARankWithoutBytesStillTakesPartInTheRing) {
  const Count n = 12288;  // 129 blocks of 96 bytes would be more: the last is empty
  EXPECT_EQ(broadcast(executor_, "scatter_ring", 129, n, 5).messages, 127 + 129 * 128);
  EXPECT_EQ(broadcast(executor_, "scatter_ring_tuned", 129, n, 5).messages, 127 + 16063);
}

TEST(Bcast, EveryTreeTypeHoldsWithEveryRadixAndSegment) {
  Executor executor;
  for (const char* name : {"tree", "pipelined_tree:segment=1", "pipelined_tree:segment=3", "knomial:segment=2"})
    for (const char* type : {"0", "1", "2"})
      for (int radix = 1; radix <= 9; ++radix)
        for (const int p : {1, 2, 3, 5, 8, 17, 33, 100}) {
          const bool typed = !std::string(name).starts_with("knomial");
          const Choice choice =
              parse_choice(Collective::bcast, std::string(name) + (typed ? std::string(":tree_type=") + type : "") +
                                                  ":radix=" + std::to_string(typed ? radix : radix + 1));
          const Case c{Collective::bcast, p, 10, 1, p - 1, false, Operator::sum};
          if (!why_not(choice, c).empty()) continue;
          const auto fault = prove(executor, choice, c);
          EXPECT_FALSE(fault) << choice.text() << " p=" << p << ": " << fault->text;
        }
}

}  // namespace
}  // namespace tutti
