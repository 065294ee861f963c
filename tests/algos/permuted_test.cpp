#include <gtest/gtest.h>

#include "algos/groups.hpp"
#include "base/error.hpp"
#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

/// Algorithms on all ranks in another order.
namespace tutti {
namespace {

TEST(Permuted, TextNamesOrderAndAlgorithmAndReadsBack) {
  for (const char* text : {"permuted", "permuted(order=cyclic)", "permuted(order=block,of=bruck)"})
    EXPECT_EQ(parse_choice(Collective::allgather, text).text(), text);
  EXPECT_EQ(parse_choice(Collective::allgather, "permuted(order=reversed,of=ring)").text(), "permuted")
      << "defaults are left out";
  const auto refusal = [](const char* text) -> std::string {
    try {
      return parse_choice(Collective::allgather, text).text();
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_NE(refusal("permuted(order=random)").find("order=random: expected one of reversed, cyclic, block"),
            std::string::npos)
      << refusal("permuted(order=random)");
  EXPECT_NE(refusal("permuted(order=1)").find("expected one of reversed"), std::string::npos);
  EXPECT_NE(refusal("permuted(of=hier)").find("asks which ranks share a node"), std::string::npos);
}

TEST(Permuted, OrdersAreBackwardsByTurnsAndNodeByNode) {
  const std::vector<std::size_t> nodes{0, 1, 0, 2, 1, 0};
  const std::vector<Rank> numbers{0, 0, 1, 0, 1, 2};
  EXPECT_EQ(in_order(GroupKind::reversed, nodes, numbers), (std::vector<Rank>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(in_order(GroupKind::cyclic, nodes, numbers), (std::vector<Rank>{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(in_order(GroupKind::block, nodes, numbers), (std::vector<Rank>{0, 2, 5, 1, 4, 3}));
}

/// Two nodes of two ranks, in turn. In the order of nodes a binomial tree of blocks of 5 elements passes one block on
/// each node, and two blocks between these, whatever the root.
TEST(Permuted, BlocksPassBetweenTheRanksThatTheOrderBringsTogether) {
  const auto execute = [](Collective collective, const char* text, int ranks, Count count, Rank root) {
    NodeOfRank nodes;
    for (Rank r = 0; r < ranks; ++r) nodes.push_back(r % 2);
    return executed(text, {collective, ranks, count, 4, root, false, Operator::sum}, Places(nodes));
  };
  for (const Collective collective : {Collective::gather, Collective::scatter})
    for (Rank root = 0; root < 4; ++root) {
      EXPECT_EQ(execute(collective, "permuted(order=block)", 4, 5, root).elements_sent, 5 * (1 + 2 + 1));
      EXPECT_EQ(execute(collective, "permuted(order=reversed,of=linear)", 5, 5, root).elements_sent, 5 * 4);
    }
  EXPECT_EQ(execute(Collective::reduce_scatter, "permuted", 5, 10, 0).elements_sent, 5 * 4 * 2);
  EXPECT_EQ(execute(Collective::reduce_scatter, "permuted", 5, 7, 0).elements_sent, 5 * 4 * 2)
      << "the last three blocks have an element more on the way";
  EXPECT_EQ(execute(Collective::reduce_scatter, "permuted(order=cyclic)", 5, 0, 0).elements_sent, 0);
  EXPECT_EQ(execute(Collective::reduce_scatter_block, "permuted(order=cyclic,of=pairwise)", 5, 3, 0).elements_sent,
            5 * 4 * 3);
}

TEST(Permuted, AnyAlgorithmMayBeTheOne) {
  proof::VerifyRequest request;
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather, Collective::alltoall,
        Collective::gather, Collective::scatter, Collective::reduce_scatter, Collective::reduce_scatter_block})
    for (const Algorithm* a : algorithms_of(collective))
      if (!a->is_by_node() && a->requirements().empty())
        request.choices.push_back(parse_choice(collective, "permuted(order=cyclic,of=" + a->name() + ")"));
  request.ranks = {1, 2, 5, 8};
  request.processes = 2;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

}  // namespace
}  // namespace tutti
