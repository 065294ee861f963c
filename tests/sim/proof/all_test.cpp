#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

/// On all others up to 64, from three roots each: proof.EveryAlgorithmIsProvenFor1To64Ranks, one of the slow ones.
TEST(Proof, EveryRegisteredAlgorithmHoldsAtOneToNineRanks) {
  std::vector<std::int64_t> proven(registry().size());
  const auto prove_all = [&](std::vector<int> ranks, std::optional<Rank> root, std::optional<Count> count) {
    VerifyRequest request;
    request.ranks = std::move(ranks);
    request.only.root = root;
    request.only.count = count;
    request.processes = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto verdicts = verify(request);
    ASSERT_EQ(verdicts.size(), proven.size());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      EXPECT_FALSE(verdicts[i].refutation) << verdicts[i].refutation->text();
      proven[i] += verdicts[i].proven;
    }
  };
  prove_all({1, 2, 3, 4, 5}, {}, {});  // from the first rank, the second and the last
  prove_all({7, 9}, 4, {});            // what has a root is most of the work: from one in the middle
  prove_all({6, 8}, 4, 9);             // of elements in blocks that differ
  for (std::size_t i = 0; i < proven.size(); ++i) EXPECT_GT(proven[i], 0) << registry()[i].full_name();
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
