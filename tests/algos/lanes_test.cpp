#include <gtest/gtest.h>

#include <tuple>

#include "algos/case.hpp"
#include "sim/proof/executor.hpp"
#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

/// What full-lane and multi-leader algorithms send, worked out by hand.
namespace tutti {
namespace {

proof::Execution in_lanes(const char* text, Collective collective, Count count, const NodeOfRank& nodes,
                          Rank root = 0) {
  proof::Executor executor;
  const Case c{collective, static_cast<int>(nodes.size()), count, 4, root, false, Operator::sum};
  return executor.run(parse_choice(collective, text).algorithm->function(), c, parse_choice(collective, text), 1,
                      nodes);
}

const NodeOfRank kThreeTimesTwo{0, 0, 1, 1, 2, 2};
/// The second rank of node 0 comes after that of node 1, so that the two lanes meet the nodes in different orders.
const NodeOfRank kCrossed{0, 1, 1, 0, 2, 2};

TEST(Lanes, EveryRankOfANodeSendsItsPartBetweenNodes) {
  // Two halves around each node's ring, then a ring of three for each lane.
  EXPECT_EQ(in_lanes("full_lane:lane=4", Collective::allreduce, 12, kThreeTimesTwo).messages, 2 * 6 + 2 * (2 * 3 * 2));
  EXPECT_EQ(in_lanes("full_lane:lane=4", Collective::allgather, 12, kThreeTimesTwo).messages, 6 + 2 * (3 * 2));
  EXPECT_EQ(in_lanes("full_lane", Collective::alltoall, 12, kThreeTimesTwo).messages, 6 * (2 + 1));
  EXPECT_EQ(in_lanes("full_lane:lane=1", Collective::bcast, 12, kThreeTimesTwo, 3).messages, 1 + 2 * 2 + 6);
  EXPECT_EQ(in_lanes("full_lane:lane=1", Collective::reduce, 12, kThreeTimesTwo, 3).messages, 6 + 2 * 2 + 1);
}

TEST(Lanes, ABlockOfEachRankTakesItsOwnLaneAndTheRootsNode) {
  // A tree of three on each of two lanes, and one message on the root's node, with the three blocks of a lane.
  for (const Collective collective : {Collective::gather, Collective::scatter})
    for (const NodeOfRank& nodes : {kThreeTimesTwo, kCrossed})
      for (Rank root = 0; root < 6; ++root) {
        EXPECT_EQ(in_lanes("full_lane", collective, 5, nodes, root).messages, 2 * 2 + 1);
        EXPECT_EQ(in_lanes("full_lane(lane=linear)", collective, 5, nodes, root).elements_sent, 2 * (2 * 5) + 3 * 5);
      }
  // Half of a vector of 12 around each node's ring, then a ring of three on each lane.
  for (const NodeOfRank& nodes : {kThreeTimesTwo, kCrossed}) {
    const proof::Execution of_12 = in_lanes("full_lane", Collective::reduce_scatter, 12, nodes);
    EXPECT_EQ(of_12.messages, 6 + 2 * (3 * 2));
    EXPECT_EQ(of_12.elements_sent, 3 * 12 + 2 * (2 * 6));
    EXPECT_EQ(in_lanes("full_lane(lane=pairwise)", Collective::reduce_scatter_block, 2, nodes).elements_sent,
              of_12.elements_sent);
  }
}

TEST(Lanes, OfAReduceScatterBlocksMayHaveAnyCounts) {
  const char* const text = "full_lane";
  const Case skewed =
      with_counts(Case{Collective::reduce_scatter, 6, 0, 4, 0, false, Operator::sum}, "as:1:0:20:3:5:0", 29);
  for (const NodeOfRank& nodes : {kThreeTimesTwo, kCrossed})
    EXPECT_EQ(executed(text, skewed, nodes).elements_sent, 3 * 29 + 2 * 29) << "once on each node, on lanes twice";
}

TEST(Lanes, WhatRunsOnTheLanesMayBeAnyAlgorithm) {
  proof::VerifyRequest request;
  for (const Collective collective :
       {Collective::gather, Collective::scatter, Collective::reduce_scatter, Collective::reduce_scatter_block})
    for (const Algorithm* a : algorithms_of(collective))
      if (!a->is_by_node() && a->requirements().empty())
        request.choices.push_back(parse_choice(collective, "full_lane(lane=" + a->name() + ")"));
  request.ranks = {1, 4, 6, 8, 9};
  request.processes = 2;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

TEST(Lanes, OfAnAlltoallABlockCrossesBetweenNodesOnceInAMessageForAWholeNode) {
  // Of a rank's six blocks four leave the node, and three change ranks within one.
  EXPECT_EQ(in_lanes("full_lane", Collective::alltoall, 1, kThreeTimesTwo).elements_sent, 6 * (4 + 3));
}

TEST(Lanes, NodesMayBeInAnotherOrderOnEachLane) {
  for (const auto& [collective, text] :
       {std::pair(Collective::allreduce, "full_lane"), std::pair(Collective::allreduce, "multi_leader:leaders=2"),
        std::pair(Collective::allgather, "full_lane"), std::pair(Collective::alltoall, "full_lane"),
        std::pair(Collective::bcast, "full_lane"), std::pair(Collective::reduce, "full_lane"),
        std::pair(Collective::gather, "full_lane"), std::pair(Collective::scatter, "full_lane"),
        std::pair(Collective::reduce_scatter, "full_lane"), std::pair(Collective::reduce_scatter_block, "full_lane")})
    for (Rank root = 0; root < (is_rooted(collective) ? 6 : 1); ++root) {
      const proof::Execution done = in_lanes(text, collective, 7, kCrossed, root);
      EXPECT_EQ(done.fault.value_or(proof::Fault{}).text, "") << text << " " << name_of(collective) << " " << root;
    }
}

TEST(Lanes, NoMoreRanksLeadThanANodeHas) {
  const auto messages = [](const char* text) {
    return in_lanes(text, Collective::allreduce, 12, kThreeTimesTwo).messages;
  };
  EXPECT_EQ(messages("multi_leader:lane=4:leaders=1"), 2 * 3 * 1 + 2 * 3 * 2);
  EXPECT_EQ(messages("multi_leader:lane=4:leaders=2"), 2 * 3 * 2 + 2 * (2 * 3 * 2));
  EXPECT_EQ(messages("multi_leader:lane=4:leaders=9"), messages("multi_leader:lane=4:leaders=2"));
}

TEST(Lanes, NoMoreRanksLeadThanTheSmallestNodeHas) {
  const NodeOfRank uneven{0, 0, 0, 1, 1};
  EXPECT_EQ(in_lanes("multi_leader:lane=4", Collective::allreduce, 12, uneven).messages, 2 * (4 + 2) + 2 * (2 * 2));
}

TEST(Lanes, WhereNodesHaveNotAsManyRanksOneAlgorithmServesAll) {
  const NodeOfRank uneven{0, 0, 0, 1, 1};
  EXPECT_EQ(in_lanes("full_lane:lane=4", Collective::allreduce, 12, uneven).messages, 2 * 5 * 4);
  EXPECT_EQ(in_lanes("full_lane", Collective::alltoall, 12, uneven).messages, 5 * 4);
  EXPECT_EQ(in_lanes("full_lane", Collective::gather, 12, uneven, 2).messages, 4);
  EXPECT_EQ(in_lanes("full_lane", Collective::reduce_scatter, 12, uneven).messages, 5 * 4);
}

// On n nodes of s ranks each, of s + 1 nodes' blocks the first s are fetched by one rank each.
TEST(Lanes, OfANodeAwareBruckEachRankSendsOneMessageToAnotherNodeInEachOfItsSteps) {
  const auto on = [](int nodes, int ranks) {
    NodeOfRank of(static_cast<std::size_t>(nodes * ranks));
    for (std::size_t r = 0; r < of.size(); ++r) of[r] = static_cast<int>(r) / ranks;
    return in_lanes("node_bruck", Collective::allgather, 5, of);
  };
  for (const auto& [nodes, ranks, steps] : {std::tuple(9, 2, 2), {27, 2, 3}, {5, 4, 1}, {25, 4, 2}, {8, 1, 3}}) {
    const int rings = nodes * ranks * (ranks - 1), p = nodes * ranks;
    const proof::Execution done = on(nodes, ranks);
    EXPECT_EQ(done.messages, (steps + 1) * rings + steps * p) << nodes << " x " << ranks;
    EXPECT_EQ(done.rounds, steps * ranks + ranks - 1) << nodes << " x " << ranks;
    EXPECT_EQ(done.elements_sent, 5 * p * (p - 1)) << nodes << " x " << ranks;
  }
  // Of 6 nodes of 2 ranks, 3 are there after the first step, and the last step's second rank has nothing to fetch.
  EXPECT_EQ(on(6, 2).messages, 3 * 12 + 12 + 6);
}

TEST(Lanes, OfANodeAwareBruckAsManyRanksFetchAsTheSmallestNodeHas) {
  const NodeOfRank uneven{0, 0, 0, 1, 1, 2, 3};  // steps to 1, 2 and 4 nodes; rings of 6 and 2 before and after each
  EXPECT_EQ(in_lanes("node_bruck", Collective::allgather, 3, uneven).messages, 3 * (6 + 2) + 2 * 4);
  EXPECT_EQ(in_lanes("node_bruck", Collective::allgather, 3, uneven).elements_sent, 3 * 7 * 6);
}

}  // namespace
}  // namespace tutti
