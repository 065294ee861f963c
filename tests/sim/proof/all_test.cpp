#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

/// On all others up to 64: proof.EveryAlgorithmIsProvenFor1To64Ranks, one of the slow ones.
TEST(Proof, EveryRegisteredAlgorithmHoldsAtOneToNineRanks) {
  VerifyRequest request;
  request.ranks.resize(9);
  std::iota(request.ranks.begin(), request.ranks.end(), 1);
  request.processes = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto verdicts = verify(request);
  EXPECT_EQ(verdicts.size(), registry().size());
  for (const Verdict& verdict : verdicts) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0) << verdict.algorithm->full_name();
  }
}

TEST(Proof, TheVerdictDoesNotDependOnTheNumberOfProcesses) {
  VerifyRequest one;
  one.algorithms = algorithms_of(Collective::allgather);
  one.ranks = {7, 2, 12};
  VerifyRequest three = one;
  three.processes = 3;
  const auto a = verify(one), b = verify(three);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].algorithm, b[i].algorithm);
    EXPECT_EQ(a[i].proven, b[i].proven);
    EXPECT_EQ(a[i].excluded, b[i].excluded);
  }
}

}  // namespace
}  // namespace tutti::proof
