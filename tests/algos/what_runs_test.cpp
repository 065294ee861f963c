#include "algos/what_runs.hpp"

#include <gtest/gtest.h>

#include "algos/named_choice.hpp"
#include "sim/proof/verify.hpp"

/// What is said to run where parts of a composition, or all of it, fall back.
namespace tutti {
namespace {

std::string runs(Collective collective, const char* text, int ranks, Count count, const Places& places = {}) {
  return text_of_what_runs(parse_choice(collective, text), {collective, ranks, count, 4}, places);
}

TEST(WhatRuns, PartsThatFallBackAreSaid) {
  EXPECT_EQ(runs(Collective::allreduce, "ring", 9, 2), "recursive_doubling");
  EXPECT_EQ(runs(Collective::allreduce, "permuted(of=ring)", 9, 2), "permuted");
  EXPECT_EQ(runs(Collective::allreduce, "permuted(of=ring)", 9, 90), "permuted(of=ring)");
  EXPECT_EQ(runs(Collective::allreduce, "hier(global=ring)", 9, 2), "hier");
  EXPECT_EQ(runs(Collective::allreduce, "hier(global=ring)", 9, 9), "hier(global=ring)");
  const NodeOfRank by_three{0, 0, 0, 1, 1, 1, 2, 2, 2};
  EXPECT_EQ(runs(Collective::allreduce, "hier(global=ring)", 9, 3, by_three), "hier(global=ring)") << "of three ranks";
  EXPECT_EQ(runs(Collective::allgather, "hier(global=neighbor_exchange)", 9, 3, by_three), "hier");
  EXPECT_EQ(runs(Collective::allgather, "full_lane:lane=3", 9, 3, by_three), "full_lane:lane=2");
}

TEST(WhatRuns, PartsThatFallBackHereAndNotThereAreSaidBoth) {
  const NodeOfRank two_and_five{0, 0, 1, 1, 1, 1, 1};
  EXPECT_EQ(runs(Collective::bcast, "hier(node=scatter_ring)", 7, 3, two_and_five),
            "hier(node=scatter_ring)|hier(node=linear)");
  EXPECT_EQ(runs(Collective::bcast, "hier(node=scatter_ring)", 7, 2, NodeOfRank{0, 0, 0, 0, 0, 0, 0}),
            "hier(node=linear)");
  EXPECT_EQ(runs(Collective::bcast, "hier(node=scatter_ring):segment=20", 7, 12, two_and_five),
            "hier(node=scatter_ring):segment=20|hier(node=linear):segment=20")
      << "the last segment has two elements";
}

TEST(WhatRuns, WhatIsNotDividedByNodesIsSaid) {
  const NodeOfRank uneven{0, 0, 0, 0, 1, 1, 1};
  EXPECT_EQ(runs(Collective::allgather, "full_lane", 7, 3, uneven), "ring");
  EXPECT_EQ(runs(Collective::allgather, "full_lane:lane=5", 7, 3, uneven), "ring") << "odd numbers of ranks";
  EXPECT_EQ(runs(Collective::allreduce, "full_lane", 7, 3, uneven), "recursive_doubling");
  EXPECT_EQ(runs(Collective::alltoall, "full_lane", 7, 3, uneven), "pairwise");
  EXPECT_EQ(runs(Collective::bcast, "full_lane", 7, 3, uneven), "binomial");
  EXPECT_EQ(runs(Collective::reduce, "full_lane", 7, 3, uneven), "binomial");
  EXPECT_EQ(runs(Collective::gather, "full_lane", 7, 3, uneven), "binomial");
  EXPECT_EQ(runs(Collective::reduce_scatter, "full_lane", 7, 30, uneven), "ring");
  EXPECT_EQ(runs(Collective::scatter, "full_lane", 3, 3, NodeOfRank{0, 1, 2}), "binomial") << "one lane";
  EXPECT_EQ(runs(Collective::allreduce, "full_lane", 4, 3, NodeOfRank{0, 0, 1, 1}), "full_lane");
  EXPECT_EQ(runs(Collective::reduce_scatter_block, "hier", 4, 0, NodeOfRank{0, 0, 1, 1}), "recursive_halving");
}

TEST(WhatRuns, APartThatCannotRunItsRanksIsWhyTheWholeCannot) {
  const auto why = [](Collective collective, const char* text, const NodeOfRank& nodes, bool in_place = false) {
    const Case c{collective, static_cast<int>(nodes.size()), 3, 4, 0, in_place};
    return why_not(parse_choice(collective, text), c, nodes);
  };
  const NodeOfRank by_two{0, 0, 1, 1, 2, 2}, by_three{0, 0, 0, 1, 1, 1};
  EXPECT_EQ(why(Collective::alltoall, "permuted(of=two_proc)", {0, 1, 2}),
            "runs alltoall/two_proc on 3 ranks, which needs exactly two ranks");
  EXPECT_EQ(why(Collective::alltoall, "permuted(of=two_proc)", {0, 1}), "");
  EXPECT_EQ(why(Collective::alltoall, "hier(node=two_proc)", by_two), "");
  EXPECT_EQ(why(Collective::alltoall, "hier(node=two_proc)", by_three),
            "runs alltoall/two_proc on 3 ranks, which needs exactly two ranks");
  EXPECT_EQ(why(Collective::alltoall, "hier(node=pairwise_in_place)", by_two, true),
            "runs alltoall/pairwise_in_place on 2 ranks, which needs the input in place")
      << "inside it is not";
  EXPECT_EQ(why(Collective::barrier, "han:low=5", by_three),
            "runs barrier/two_proc on 3 ranks, which needs at most two ranks");
  EXPECT_EQ(why(Collective::barrier, "han:low=5", by_two), "");
  EXPECT_EQ(why(Collective::alltoall, "two_proc", by_two), "needs exactly two ranks");
  EXPECT_EQ(why(Collective::allgather, "hier(global=neighbor_exchange)", by_two), "") << "falls back";
}

/// Whatever is said to run, runs the same when it is asked for itself.
TEST(WhatRuns, WhatIsSaidRunsAsItself) {
  for (const Algorithm& algorithm : registry())
    for (const int ranks : {1, 4, 7, 9}) {
      if (!algorithm.is_by_node() || !is_regular(algorithm.collective())) continue;
      for (const Places& places : proof::node_shapes(algorithm, ranks)) {
        const Choice choice = default_choice(algorithm);
        const Case c{algorithm.collective(), ranks, 3, 4};
        if (!why_not(choice, c).empty()) continue;
        const std::vector<Choice> real = what_runs(choice, c, places);
        if (real.size() > 1) continue;
        EXPECT_EQ(what_runs(real.front(), c, places), real) << choice.text() << ": " << real.front().text();
        const Choice whole = resolve(choice, c);
        const Facts asked(c, whole.parameters, places), said(c, real.front().parameters, places);
        EXPECT_EQ(whole.algorithm->messages()(asked), real.front().algorithm->messages()(said))
            << algorithm.full_name() << ": " << real.front().text();
      }
    }
}

TEST(WhatRuns, TheProofCountsThemAsCasesInWhichAnotherRuns) {
  proof::VerifyRequest request;
  request.choices = {parse_choice(Collective::allreduce, "permuted(of=ring)"),
                     parse_choice(Collective::allreduce, "full_lane")};
  request.ranks = {7};
  request.only.count = 3;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation);
    EXPECT_GT(verdict.fallen_back, 0) << verdict.choice->text();
  }
}

}  // namespace
}  // namespace tutti
