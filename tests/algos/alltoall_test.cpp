#include <gtest/gtest.h>

#include "sim/proof/executor.hpp"

namespace tutti {
namespace {

using proof::Execution;
using proof::Executor;

Execution exchanged(Executor& executor, const std::string& choice, int p, int ports = 1) {
  const Choice chosen = parse_choice(Collective::alltoall, choice);
  const Case c{Collective::alltoall, p, 1, 1, 0, false, Operator::sum};
  const Execution execution = executor.run(chosen.algorithm->function(), c, chosen, ports);
  EXPECT_FALSE(execution.fault) << choice << " p=" << p << ": " << execution.fault->text;
  const auto wrong = check_results(executor, c);
  EXPECT_FALSE(wrong) << choice << " p=" << p << ": " << wrong->text;
  return execution;
}

/// Times the blocks of all ranks travel with radix k: once for every digit of their distance that is not zero.
std::int64_t elements_of_bruck(int p, int k) {
  std::int64_t hops = 0;
  for (int distance = 1; distance < p; ++distance)
    for (int rest = distance; rest > 0; rest /= k) hops += rest % k != 0;
  return p * hops;
}

TEST(Alltoall, BruckMovesABlockOnceForEveryOneBitOfItsDistance) {
  Executor executor;
  for (int p = 2; p < 130; ++p) EXPECT_EQ(exchanged(executor, "bruck", p).elements_sent, elements_of_bruck(p, 2)) << p;
}

TEST(Alltoall, KBruckMovesABlockOnceForEveryDigitOfItsDistance) {
  Executor executor;
  for (const int k : {2, 3, 4, 5, 8})
    for (int p = 2; p < 70; ++p) {
      const Execution execution = exchanged(executor, "k_bruck:radix=" + std::to_string(k), p, k - 1);
      EXPECT_EQ(execution.elements_sent, elements_of_bruck(p, k)) << "p=" << p << " k=" << k;
    }
}

TEST(Alltoall, ARadixOfAtLeastPIsOneRoundOfDirectMessages) {
  Executor executor;
  for (int p = 2; p < 20; ++p) {
    const Execution execution = exchanged(executor, "k_bruck:radix=4096G", p, p);
    EXPECT_EQ(execution.messages, p * (p - 1));
    EXPECT_EQ(execution.elements_sent, p * (p - 1));
    EXPECT_EQ(execution.rounds, 1);
  }
}

TEST(Alltoall, AWindowBoundsWhatIsInFlightAndOnOnePortCostsNothing) {
  Executor executor;
  for (const int window : {1, 2, 3, 5, 15, 16, 100}) {
    const std::string setting = ":window=" + std::to_string(window);
    EXPECT_EQ(exchanged(executor, "linear_sync" + setting, 16, 16).rounds, (15 + window - 1) / window) << window;
    const int own_alone = window == 1 ? 1 : 0;  // a batch of the rank's own block sends nothing
    EXPECT_EQ(exchanged(executor, "scattered" + setting, 16, 16).rounds, (16 + window - 1) / window - own_alone)
        << window;
    EXPECT_EQ(exchanged(executor, "linear_sync" + setting, 16).rounds, 15) << window;
    EXPECT_EQ(exchanged(executor, "scattered" + setting, 16).rounds, 15) << window;
  }
  for (const char* all : {"linear_sync:window=0", "scattered:window=0", "linear"})
    EXPECT_EQ(exchanged(executor, all, 16, 16).rounds, 1) << all;
}

}  // namespace
}  // namespace tutti
