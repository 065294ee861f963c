#include <gtest/gtest.h>

#include "sim/proof/verify.hpp"

namespace tutti {
namespace {

TEST(Reduce, HoldsWithEveryRadixFanoutAndSegment) {
  proof::Executor executor;
  for (const char* name : {"knomial:radix=", "chain:segment=4:fanout=", "chain:segment=12:fanout="})
    for (int value = 2; value <= 9; ++value)
      for (const int p : {1, 2, 3, 5, 8, 17, 33, 100})
        for (const bool in_place : {false, true}) {
          const Choice choice = parse_choice(Collective::reduce, name + std::to_string(value));
          const Case c{Collective::reduce, p, 10, 4, p - 1, in_place, Operator::sum};
          const auto fault = prove(executor, choice, c);
          EXPECT_FALSE(fault) << choice.text() << " p=" << p << ": " << fault->text;
        }
}

TEST(Reduce, RabenseifnerScattersPLessOneVectorsAndGathersHalfAVectorAStep) {
  proof::Executor executor;
  for (int p = 2; p <= 64; p *= 2) {
    const Choice choice = parse_choice(Collective::reduce, "rabenseifner");
    const Case c{Collective::reduce, p, 3 * p, 4, p / 2, false, Operator::sum};
    const proof::Execution execution = executor.run(choice.algorithm->function(), c, choice, 1);
    ASSERT_FALSE(execution.fault) << execution.fault->text;
    int steps = 0;
    for (int q = 1; q < p; q *= 2) ++steps;
    // The reduce-scatter moves (p-1)/p of every vector, the gather steps/2 of one vector: half of it at each step.
    EXPECT_EQ(execution.elements_sent, (p - 1) * c.count + steps * c.count / 2) << p;
    EXPECT_EQ(execution.rounds, 2 * steps) << p;
  }
}

}  // namespace
}  // namespace tutti
