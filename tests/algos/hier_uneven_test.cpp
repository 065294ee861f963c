#include <gtest/gtest.h>

#include "algos/what_runs.hpp"
#include "tests/algos/executed.hpp"

/// Compositions by levels on nodes that have not as many ranks each: between these goes no more than on even ones.
namespace tutti {
namespace {

const NodeOfRank kFourAndThree{0, 0, 0, 0, 1, 1, 1};

Case seven(Collective collective, Count count, Rank root = 0) { return {collective, 7, count, 4, root}; }

std::string runs(const char* text, const Case& c, const Places& places = kFourAndThree) {
  return text_of_what_runs(parse_choice(c.collective, text), c, places);
}

TEST(HierOnUnevenNodes, AnAllgatherCrossesWithAllBlocksOfANodeInOne) {
  const Case c = seven(Collective::allgather, 3);
  const proof::Execution execution = executed("hier", c, kFourAndThree);
  EXPECT_EQ(execution.messages, 5 + 2 + 5) << "gathers, two between the nodes, broadcasts";
  EXPECT_EQ(execution.elements_sent, 3 * ((4 + 2) + 7 + 5 * 7));
  EXPECT_EQ(runs("hier", c), "hier");
  EXPECT_EQ(runs("hier(global=sparbit)", c), "hier(global=sparbit)");
  EXPECT_EQ(runs("hier(global=k_bruck)", c), "hier") << "of blocks of different sizes there is none of that name";
  EXPECT_EQ(
      runs("hier(global=neighbor_exchange)", {Collective::allgather, 9, 3, 4}, NodeOfRank{0, 0, 0, 0, 1, 1, 1, 1, 2}),
      "hier")
      << "of an odd number of nodes";
}

TEST(HierOnUnevenNodes, PartsKeepTheParametersThatTheirIrregularFormHasToo) {
  const Case c = seven(Collective::allgather, 3);
  EXPECT_EQ(executed("hier(global=segmented_ring)", c, kFourAndThree).messages, 5 + 2 + 5);
  const proof::Execution cut = executed("hier(global=segmented_ring:segment=12)", c, kFourAndThree);
  EXPECT_EQ(cut.messages, 5 + 4 + 3 + 5) << "a piece for each block";
  EXPECT_EQ(cut.elements_sent, 3 * ((4 + 2) + 7 + 5 * 7));
  EXPECT_EQ(runs("hier(global=segmented_ring:segment=12)", c), "hier(global=segmented_ring:segment=12)");
}

TEST(HierOnUnevenNodes, AGatherAndAScatterCrossOnceForEachOtherNode) {
  for (const Collective collective : {Collective::gather, Collective::scatter}) {
    const proof::Execution from_first = executed("hier", seven(collective, 3), kFourAndThree);
    EXPECT_EQ(from_first.messages, 3 + 2 + 1);
    EXPECT_EQ(from_first.elements_sent, 3 * (4 + 2 + 3));
    const proof::Execution from_second = executed("hier", seven(collective, 3, 5), kFourAndThree);
    EXPECT_EQ(from_second.messages, 3 + 2 + 1 + 1) << "and between the root and the first of its node";
    EXPECT_EQ(from_second.elements_sent, 3 * (4 + 2 + 4 + 7));
    EXPECT_EQ(runs("hier", seven(collective, 3)), "hier");
    EXPECT_EQ(runs("hier(global=bine)", seven(collective, 3)), "hier") << "binomial in its place";
    EXPECT_EQ(runs("hier(node=bine)", seven(collective, 3)), "hier(node=bine)") << "each rank has one block there";
  }
}

TEST(HierOnUnevenNodes, AnAlltoallSendsToEachNodeOnce) {
  const Case c = seven(Collective::alltoall, 3);
  const proof::Execution execution = executed("hier", c, kFourAndThree);
  EXPECT_EQ(execution.messages, 7 + 4 * 3 + 3 * 2);
  EXPECT_EQ(execution.elements_sent, 3 * (4 * 3 + 3 * 4 + 7 * 3 + 7 * 2));
  EXPECT_EQ(runs("hier", c), "hier(global=linear)");
}

TEST(HierOnUnevenNodes, AReduceScatterGetsOneSumFromEachNode) {
  const Case c = seven(Collective::reduce_scatter_block, 3);
  const proof::Execution execution = executed("hier", c, kFourAndThree);
  EXPECT_EQ(execution.messages, 7 + 4 * 3 + 3 * 2);
  EXPECT_EQ(execution.elements_sent, 3 * (7 + 7 * 3 + 7 * 2));
  EXPECT_EQ(executed("hier", seven(Collective::reduce_scatter, 7 * 3), kFourAndThree).elements_sent,
            execution.elements_sent);
  EXPECT_EQ(runs("hier", c), "hier(global=pairwise)");
}

/// Without levels the part is the whole call.
TEST(HierOnUnevenNodes, WithoutLevelsAReduceScattersPartIsToldOfEachBlock) {
  const Choice choice = parse_choice(Collective::reduce_scatter, "hier(node=none,global=noncommutative)");
  Case c{Collective::reduce_scatter, 2, 3, 4};
  c.counts = std::make_shared<BlockCounts>(std::vector<Count>{2, 1});
  proof::Executor executor;
  const proof::Execution execution = executor.run(choice.algorithm->function(), c, choice, 1, {});
  EXPECT_NE(execution.fault.value().text.find("it needs blocks of one size"), std::string::npos)
      << execution.fault->text;
}

TEST(HierOnUnevenNodes, TheSmallestNodeSaysHowManyLead) {
  const Case c = seven(Collective::allreduce, 12);
  const proof::Execution execution = executed("multi_leader", c, kFourAndThree);
  EXPECT_EQ(execution.messages, 2 * 3 * (3 + 2) + 3 * 2) << "three leaders on each";
  EXPECT_EQ(execution.elements_sent, 2 * 12 * (3 + 2) + 2 * 12);
  EXPECT_EQ(runs("multi_leader", c), "multi_leader:leaders=3");
  EXPECT_EQ(runs("multi_leader:leaders=2", c), "multi_leader:leaders=2");
}

}  // namespace
}  // namespace tutti
