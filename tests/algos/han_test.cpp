#include <gtest/gtest.h>

#include "algos/patterns/parts.hpp"
#include "base/error.hpp"
#include "sim/proof/executor.hpp"

/// What coll/han's compositions send, worked out by hand.
namespace tutti {
namespace {

proof::Execution composed(const char* text, Collective collective, Count count, const NodeOfRank& nodes, Rank root = 0,
                          std::int32_t element = 1) {
  proof::Executor executor;
  const Case c{collective, static_cast<int>(nodes.size()), count, element, root, false, Operator::sum};
  return executor.run(parse_choice(collective, text).algorithm->function(), c, parse_choice(collective, text), 1,
                      nodes);
}

const NodeOfRank kFourTimesTwo{0, 0, 1, 1, 2, 2, 3, 3};

TEST(Han, ABroadcastGoesUpOnceAndDownOnEachNodeForEachSegment) {
  // Three nodes and then three ranks' partners take each segment.
  EXPECT_EQ(composed("han", Collective::bcast, 65536, kFourTimesTwo).messages, 3 + 4);
  EXPECT_EQ(composed("han", Collective::bcast, 65537, kFourTimesTwo).messages, 2 * (3 + 4));
  EXPECT_EQ(composed("han:segment=512K", Collective::bcast, 65537, kFourTimesTwo).messages, 3 + 4);
  EXPECT_EQ(composed("han_simple", Collective::bcast, 65537, kFourTimesTwo).messages, 3 + 4);
  EXPECT_EQ(composed("han", Collective::bcast, 0, kFourTimesTwo).messages, 0);
}

TEST(Han, TheRootsPeersLeadSoThatNobodyElseIsBetween) {
  for (Rank root = 0; root < 8; ++root)
    EXPECT_EQ(composed("han", Collective::bcast, 1000, kFourTimesTwo, root).messages, 7) << root;
}

TEST(Han, OnMoreThanFourNodesEverySegmentGoesDownATree) {
  NodeOfRank five;
  for (int node = 0; node < 5; ++node) five.insert(five.end(), {node, node});
  const std::int64_t up = 4, low = 5;
  for (const Count count : {65536 + 1000, 2 * 65536})
    EXPECT_EQ(composed("han", Collective::bcast, count, five).messages, 2 * (up + low)) << "no segment in pieces";
}

TEST(Han, NodesOfDifferentSizesLeaveBroadcastsToTheAlgorithmAboveButNotAllreduces) {
  const NodeOfRank uneven{0, 0, 0, 1, 1};
  EXPECT_EQ(composed("han:up=1", Collective::bcast, 100, uneven).rounds, 4) << "linear among all";
  EXPECT_EQ(composed("han_simple", Collective::allreduce, 100, uneven, 0, 4).messages, 3 + 2 + 3);
}

TEST(Han, WhatOpenMpiHasNotIsRefused) {
  EXPECT_THROW(parse_choice(Collective::bcast, "han:low=9"), InputError);
  EXPECT_THROW(parse_choice(Collective::gather, "han:up=0"), InputError);
  EXPECT_NE(composed("han:up=6", Collective::allgather, 8, kFourTimesTwo)
                .fault.value_or(proof::Fault{})
                .text.find("needs exactly two ranks"),
            std::string::npos);
  EXPECT_EQ(composed("han:up=6", Collective::allgather, 8, {0, 0, 1, 1}).fault.value_or(proof::Fault{}).text, "");
}

}  // namespace
}  // namespace tutti
