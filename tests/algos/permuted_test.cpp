#include <gtest/gtest.h>

#include "algos/groups.hpp"
#include "algos/rank_order.hpp"
#include "base/error.hpp"
#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

/// Algorithms on all ranks in another order.
namespace tutti {
namespace {

TEST(Permuted, TextNamesOrderAndAlgorithmAndReadsBack) {
  for (const char* text :
       {"permuted", "permuted(order=cyclic)", "permuted(order=block,of=bruck)", "permuted(order=1-0,of=bruck)"})
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
  for (const auto& [list, expected] : {std::pair("0-0", "each rank from 0 to 1 once, and there is another 0"),
                                       {"1-2", "each rank from 0 to 1 once, and there is no 0"},
                                       {"0-1-3", "each rank from 0 to 2 once, and there is no 2"},
                                       {"1-0-1", "each rank from 0 to 2 once, and there is another 1"},
                                       {"0-2147483647", "each rank from 0 to 1 once, and there is no 1"},
                                       {"1-99999999999", "ranks below 2^31"},
                                       {"-", "ranks with - between them"},
                                       {"1-", "ranks with - between them"},
                                       {"-0", "ranks with - between them"},
                                       {"1--0", "ranks with - between them"},
                                       {"1-x", "ranks with - between them"},
                                       {"1 - 0", "ranks with - between them"}})
    EXPECT_EQ(refusal(("permuted(order=" + std::string(list) + ")").c_str()),
              "order=" + std::string(list) + ": expected a list like 2-0-1: " + expected);
  EXPECT_NE(refusal("permuted(of=hier)").find("asks which ranks share a node"), std::string::npos);
}

TEST(Permuted, OrdersAreBackwardsByTurnsAndNodeByNode) {
  const std::vector<std::size_t> nodes{0, 1, 0, 2, 1, 0};
  const std::vector<Rank> numbers{0, 0, 1, 0, 1, 2};
  EXPECT_EQ(in_order(GroupKind::reversed, nodes, numbers), (std::vector<Rank>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(in_order(GroupKind::cyclic, nodes, numbers), (std::vector<Rank>{0, 1, 3, 2, 4, 5}));
  EXPECT_EQ(in_order(GroupKind::block, nodes, numbers), (std::vector<Rank>{0, 2, 5, 1, 4, 3}));
}

TEST(Permuted, AListIsAnOrderOfAsManyRanksAndOfAllThatFollow) {
  const std::int64_t order = number_of_order("2-0-3-1");
  EXPECT_EQ(order, number_of_order("2-0-3-1")) << "the same list has the same number";
  EXPECT_NE(order, number_of_order("2-0-1-3"));
  EXPECT_EQ(text_of_order(order), "2-0-3-1");
  EXPECT_EQ(ranks_in_order(order, 4).members, (std::vector<Rank>{2, 0, 3, 1}));
  EXPECT_EQ(ranks_in_order(order, 3).members, (std::vector<Rank>{2, 0, 1}));
  EXPECT_EQ(ranks_in_order(order, 11).members, (std::vector<Rank>{2, 0, 3, 1, 6, 4, 7, 5, 10, 8, 9}));
  EXPECT_EQ(&ranks_in_order(order, 4), &ranks_in_order(order, 4)) << "kept";
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

/// Ranks 0, 2 and 4 are on one node, 1 and 3 on the other: in the order of nodes 4 and 1 are neighbours.
TEST(Permuted, BlocksOfAnyCountsPassBetweenTheRanksThatTheOrderBringsTogether) {
  const Places places(NodeOfRank{0, 1, 0, 1, 0});
  const auto execute = [&](Collective collective, const char* text, const char* counts, Rank root) {
    Case c{collective, 5, 0, 4, root, false, Operator::sum};
    return executed(text, with_counts(c, counts, 100), places);
  };
  for (const char* counts : {"as:1:2:3:0:94", "zipf:1.2", "one:3", "equal"}) {
    EXPECT_EQ(execute(Collective::allgatherv, "permuted(order=block)", counts, 0).elements_sent, 4 * 100) << counts;
    for (Rank root = 0; root < 5; ++root)
      for (const Collective collective : {Collective::gatherv, Collective::scatterv})
        EXPECT_EQ(execute(collective, "permuted(order=cyclic,of=linear)", counts, root).elements_sent,
                  execute(collective, "linear", counts, root).elements_sent)
            << counts << " " << root;
  }
  // The fourth is two hops from the root, the fifth one: ranks 1 and 3 in the order of nodes, else 3 and nobody.
  EXPECT_EQ(execute(Collective::gatherv, "permuted(order=block)", "as:0:10:0:90:0", 0).elements_sent, 2 * 10 + 90);
  EXPECT_EQ(execute(Collective::gatherv, "binomial", "as:0:10:0:90:0", 0).elements_sent, 10 + 2 * 90);
  for (const char* counts : {"zipf:1.2", "random:3", "one:3", "equal"})
    for (const char* order : {"permuted", "permuted(order=cyclic)", "permuted(order=block)"})
      EXPECT_EQ(execute(Collective::alltoallv, order, counts, 0).elements_sent,
                execute(Collective::alltoallv, "pairwise", counts, 0).elements_sent)
          << counts << " " << order;
}

TEST(Permuted, APrefixIsOfRanksInTheirOwnOrder) {
  for (const Collective collective : {Collective::scan, Collective::exscan}) try {
      parse_choice(collective, "permuted");
      ADD_FAILURE() << name_of(collective);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("for what each gets is of those before it"), std::string::npos)
          << error.what();
    }
}

constexpr Collective kPermuted[] = {Collective::bcast,     Collective::reduce,         Collective::allreduce,
                                    Collective::allgather, Collective::alltoall,       Collective::gather,
                                    Collective::scatter,   Collective::reduce_scatter, Collective::reduce_scatter_block,
                                    Collective::barrier,   Collective::allgatherv,     Collective::gatherv,
                                    Collective::scatterv,  Collective::alltoallv};

TEST(Permuted, AnyListMayBeTheOrder) {
  proof::VerifyRequest request;
  for (const Collective collective : kPermuted)
    for (const char* order : {"1-0", "4-2-0-1-3"})
      request.choices.push_back(parse_choice(collective, "permuted(order=" + std::string(order) + ")"));
  request.ranks = {1, 2, 3, 5, 7, 12};
  request.processes = 2;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

TEST(Permuted, AnyAlgorithmMayBeTheOne) {
  proof::VerifyRequest request;
  for (const Collective collective : kPermuted)
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
