#include <gtest/gtest.h>

#include "algos/named_choice.hpp"
#include "base/error.hpp"
#include "sim/proof/executor.hpp"
#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

/// Compositions that name an algorithm for each level.
namespace tutti {
namespace {

std::string refusal_of_levels(Collective collective, const std::string& text) {
  try {
    static_cast<void>(parse_choice(collective, text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Hier, TextNamesTheAlgorithmsOfTheLevelsAndReadsBack) {
  for (const char* text :
       {"hier", "hier(node=linear)", "hier(global=scatter_ring)", "hier(node=linear,global=pipeline:segment=8192)",
        "hier(node=knomial:radix=8)", "hier(numa=linear,node=none,group=chain)", "hier:segment=8192",
        "hier(global=pipeline:segment=8192):segment=65536"}) {
    const Choice choice = parse_choice(Collective::bcast, text);
    EXPECT_EQ(choice.text(), text);
    EXPECT_EQ(parse_choice(Collective::bcast, choice.text()), choice);
  }
  EXPECT_EQ(parse_choice(Collective::bcast, "hier(node=binomial,global=knomial:radix=4)").text(),
            "hier(global=knomial)")
      << "defaults are left out";
  EXPECT_EQ(parse_choice(Collective::bcast, "hier(socket=none)").text(), "hier");
  EXPECT_EQ(parse_choice(Collective::bcast, "hier(segment=8K,node=linear)").text(), "hier(node=linear):segment=8192");
  EXPECT_EQ(parse_choice(Collective::bcast, "hier:node=linear").text(), "hier(node=linear)");
}

TEST(Hier, FlatIsEverybodyDirectlyWithWhoLeadsWhateverTheCollectiveCallsThat) {
  for (const auto& [collective, text] : {std::pair(Collective::bcast, "hier(node=linear)"),
                                         {Collective::reduce, "hier(node=flat)"},
                                         {Collective::allreduce, "hier(node=flat)"},
                                         {Collective::allgather, "hier(node=linear)"},
                                         {Collective::barrier, "hier(node=flat)"},
                                         {Collective::gather, "hier(node=linear)"},
                                         {Collective::scatterv, "hier(node=linear)"},
                                         {Collective::alltoall, "hier(node=linear)"},
                                         {Collective::reduce_scatter, "hier"},
                                         {Collective::reduce_scatter_block, "hier"}})
    EXPECT_EQ(parse_choice(collective, "hier(node=flat)").text(), text) << name_of(collective);
  EXPECT_EQ(parse_choice(Collective::allreduce, "hier(down=flat,global=flat)").text(),
            "hier(global=linear,down=linear)");
  for (const Algorithm& algorithm : registry())
    if (algorithm.name() == "hier") {
      EXPECT_NO_THROW(parse_choice(algorithm.collective(), "hier(node=flat,global=flat)")) << algorithm.full_name();
    }
  EXPECT_NE(refusal_of_levels(Collective::bcast, "flat").find("unknown algorithm 'flat'"), std::string::npos)
      << "outside a composition nobody leads";
  EXPECT_NE(refusal_of_levels(Collective::bcast, "hier(node=flat:radix=4)").find("'radix' of bcast/linear"),
            std::string::npos);
}

TEST(Hier, ARingWithSegmentsIsTheSegmentedRing) {
  const auto text = [](Collective collective, const char* asked) { return parse_choice(collective, asked).text(); };
  for (const Collective collective : {Collective::allreduce, Collective::allgather, Collective::allgatherv}) {
    EXPECT_EQ(text(collective, "ring:segment=16"), "segmented_ring:segment=16") << name_of(collective);
    EXPECT_EQ(text(collective, "ring"), "ring") << name_of(collective);
  }
  EXPECT_EQ(text(Collective::allreduce, "hier(node=flat,global=ring:segment=64K)"),
            "hier(node=flat,global=segmented_ring:segment=65536)");
  EXPECT_EQ(text(Collective::allgather, "hier(node=flat,global=ring:segment=64K)"),
            "hier(node=linear,global=segmented_ring:segment=65536)");
  EXPECT_EQ(text(Collective::bcast, "hier:segment=16"), "hier:segment=16");
  EXPECT_NE(refusal_of_levels(Collective::reduce_scatter, "ring:segment=16").find("unknown parameter 'segment'"),
            std::string::npos);
  EXPECT_NE(refusal_of_levels(Collective::allreduce, "ring:radix=16").find("of allreduce/ring"), std::string::npos);
}

TEST(Hier, WhoAsksForARingWhereThereIsNoneIsToldWhatIsNearest) {
  for (const auto& [collective, nearest] :
       {std::pair(Collective::bcast, " (nearest to it: scatter_ring, pipeline, chain)"),
        {Collective::reduce, " (nearest to it: pipeline, chain)"},
        {Collective::barrier, " (nearest to it: double_ring)"}}) {
    const std::string refusal = refusal_of_levels(collective, "hier(global=ring:segment=64K)");
    EXPECT_TRUE(refusal.ends_with(nearest)) << refusal;
  }
}

TEST(Hier, MistakesAreRefusedWithWhatWasExpected) {
  const auto has = [](const std::string& text, const std::string& expected) {
    EXPECT_NE(refusal_of_levels(Collective::bcast, text).find(expected), std::string::npos)
        << text << ": " << refusal_of_levels(Collective::bcast, text);
  };
  has("hier(node=linear", "expected a ')' at its end");
  has("hier(node=linear)x", "expected nothing after the ')'");
  has("hier(node)", "expected name=value");
  has("hier(rack=linear)",
      "unknown parameter 'rack' of bcast/hier: expected one of cache, numa, socket, node, leaf, group, global");
  has("hier(global=none)", "unknown algorithm 'none' for bcast");
  has("hier(node=brick)", "unknown algorithm 'brick' for bcast");
  has("hier(node=ring:radix=x)", "unknown algorithm 'ring' for bcast");
  has("hier(node=knomial:radix=x)", "'x'");
  has("hier(node=smp)", "asks which ranks share a node");
  has("hier(node=hier(node=linear))", "asks which ranks share a node");
  has("binomial(node=linear)", "unknown parameter 'node' of bcast/binomial");
  const std::string up = refusal_of_levels(Collective::allreduce, "hier(node=ring)"), down = "hier(down=brick)";
  EXPECT_EQ(up.find("'node' of allreduce/hier is a reduce: unknown algorithm 'ring' for reduce: expected one of "), 0u)
      << up;
  EXPECT_EQ(refusal_of_levels(Collective::allgather, down).find("'down' of allgather/hier is a bcast: "), 0u);
  EXPECT_EQ(refusal_of_levels(Collective::bcast, "hier(node=brick)").find("unknown algorithm 'brick' for bcast"), 0u);
}

TEST(Hier, ListsAreDividedOutsideOfParentheses) {
  EXPECT_EQ(split_choices("ring,hier(node=linear,global=chain),linear"),
            (std::vector<std::string>{"ring", "hier(node=linear,global=chain)", "linear"}));
  EXPECT_EQ(split_choices(""), std::vector<std::string>{""});
  EXPECT_EQ(name_in_choice("hier(node=a:b=1):c=2"), "hier");
}

TEST(Hier, MessagesAreThoseOfTheLevels) {
  const auto messages = [](Collective collective, const char* text, const Places& places, Rank root = 0) {
    proof::Executor executor;
    const Choice choice = parse_choice(collective, text);
    const Case c{collective, static_cast<int>(places.node.size()), 12, 4, root, false, Operator::sum};
    const proof::Execution execution = executor.run(choice.algorithm->function(), c, choice, 1, places);
    EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text, "") << text;
    return execution.messages;
  };
  const NodeOfRank four_times_two{0, 0, 1, 1, 2, 2, 3, 3}, uneven{0, 0, 0, 1, 1};
  EXPECT_EQ(messages(Collective::bcast, "hier", four_times_two, 5), 3 + 4);
  EXPECT_EQ(messages(Collective::bcast, "hier", uneven, 2), 1 + 1 + 3) << "from the root to who stands for it first";
  EXPECT_EQ(messages(Collective::bcast, "hier", uneven, 3), 1 + 3);
  EXPECT_EQ(messages(Collective::allreduce, "hier(global=ring)", four_times_two), 4 + 4 * 6 + 4);
  EXPECT_EQ(messages(Collective::reduce, "hier", uneven, 4), 3 + 1 + 1);
  // Two groups of two nodes of three ranks, on each a socket of two ranks and one of one.
  Places tree(NodeOfRank{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
  tree.others[Level::group] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  tree.others[Level::socket] = {0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7};
  EXPECT_EQ(messages(Collective::bcast, "hier(socket=linear,group=binomial)", tree), 11) << "a tree has no detours";
  EXPECT_EQ(messages(Collective::bcast, "hier(socket=linear,group=binomial)", tree, 4), 11 + 4)
      << "sockets differ: on each node its second rank, which leads as rank 4 does, hands over to the first";
  EXPECT_EQ(messages(Collective::bcast, "hier(node=none,group=scatter_ring)", tree), 1 + 2 * (5 + 6 * 5));
  EXPECT_EQ(messages(Collective::allreduce, "hier(socket=binomial,group=binomial,global=ring)", tree), 10 + 4 + 10);
  EXPECT_EQ(messages(Collective::reduce, "hier(socket=binomial,node=none,group=linear)", tree, 6), 11);
  EXPECT_EQ(messages(Collective::barrier, "hier(node=none,group=linear)", tree), 2 + 2 * 2 * 5 + 2 * 5);
  EXPECT_EQ(messages(Collective::allgather, "hier(group=linear)", tree), 10 + 2 + 10) << "up, across, and down";
  EXPECT_EQ(messages(Collective::allgather, "hier(socket=linear,node=none,group=linear)", tree), 10 + 2 + 10)
      << "sockets of a group differ";
}

/// Every rank goes across: an all-to-all sends what is for all of a part in one message, a reduce-scatter a block.
TEST(Hier, EachRankGoesAcrossInWhatIsForEachRank) {
  const auto execute = [](Collective collective, const char* text, const Places& places, Count count) {
    return executed(text, {collective, static_cast<int>(places.node.size()), count, 4, 0, false, Operator::sum},
                    places);
  };
  // Two groups of two nodes of three ranks, in turn, so that no part's ranks follow one another.
  Places tree(NodeOfRank{0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0});
  tree.others[Level::group] = {0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0};
  const char* const by_three = "hier(group=pairwise)";
  const proof::Execution all = execute(Collective::alltoall, by_three, tree, 5);
  EXPECT_EQ(all.messages, 12 * (1 + 1 + 2)) << "between groups, between nodes, and inside";
  EXPECT_EQ(all.elements_sent, 12 * 5 * (6 + 6 + 8)) << "what is for the other half, the other node, two of three";
  EXPECT_EQ(all.rounds, 4);
  const proof::Execution sums = execute(Collective::reduce_scatter_block, by_three, tree, 5);
  EXPECT_EQ(sums.messages, 12 * (2 + 1 + 1));
  EXPECT_EQ(sums.elements_sent, 12 * 5 * (2 * 4 + 2 + 1)) << "nearest first, so that least goes between groups";
  EXPECT_EQ(execute(Collective::reduce_scatter, "hier(group=ring)", tree, 60).elements_sent, sums.elements_sent);
  EXPECT_EQ(execute(Collective::reduce_scatter, "hier(group=ring)", tree, 55).elements_sent, sums.elements_sent)
      << "the last five blocks have an element more on the way";
  const Places uneven(NodeOfRank{0, 0, 0, 1, 1});
  EXPECT_EQ(execute(Collective::alltoall, "hier(global=bruck)", uneven, 5).messages, 5 + 3 * 2 + 2);
  EXPECT_EQ(execute(Collective::reduce_scatter, "hier(global=circulant)", uneven, 7).messages, 5 + 3 * 2 + 2);
}

/// Down two chains of four each takes six rounds for a vector. Who leads sends each segment twice, and the last one has
/// two more ranks to pass on each level.
TEST(Hier, SegmentsPassThroughTheLevelsSideBySide) {
  const NodeOfRank four_times_four{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  const auto execute = [&](Collective collective, const char* text, Rank root) {
    proof::Executor executor;
    const Choice choice = parse_choice(collective, text);
    const Case c{collective, 16, 10, 4, root, false, Operator::sum};
    proof::Execution execution = executor.run(choice.algorithm->function(), c, choice, 1, four_times_four);
    EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text, "") << text;
    return execution;
  };
  const char* const chains = "hier(node=chain:fanout=1:segment=0,global=chain:fanout=1:segment=0):segment=4";
  for (const Rank root : {0, 6})
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
      EXPECT_EQ(execute(collective, chains, root).rounds, 10 * 2 + 2 * 2) << name_of(collective);
      EXPECT_EQ(execute(collective, chains, root).messages, 10 * 15);
    }
  const char* const up_and_down = "hier(node=chain:fanout=1:segment=0,global=linear,down=chain:fanout=1:segment=0)";
  const std::int64_t whole = execute(Collective::allreduce, up_and_down, 0).rounds,
                     in_ten =
                         execute(Collective::allreduce, (std::string(up_and_down) + ":segment=4").c_str(), 0).rounds;
  EXPECT_LT(in_ten, 10 * whole * 2 / 3) << whole << " for the vector";
}

TEST(Hier, ALevelThatTheMachineDoesNotHaveIsRefusedWithThoseThatItHas) {
  Places places(NodeOfRank{0, 0, 1, 1});
  places.others[Level::group] = {0, 0, 0, 0};
  proof::Executor executor;
  const Choice choice = parse_choice(Collective::bcast, "hier(socket=linear)");
  const Case c{Collective::bcast, 4, 12, 4, 0, false, Operator::sum};
  EXPECT_NE(executor.run(choice.algorithm->function(), c, choice, 1, places)
                .fault.value_or(proof::Fault{})
                .text.find("there is no level 'socket' here: expected node or group"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(choice.algorithm->messages()(Facts(c, choice.parameters, places))), InputError);
}

/// What a level may be: each algorithm of its collective that does not ask for groups, and runs on any number of ranks.
std::vector<std::string> for_any_ranks(Collective collective) {
  std::vector<std::string> names;
  for (const Algorithm* a : algorithms_of(collective))
    if (!a->is_by_node() && a->requirements().empty()) names.push_back(a->name());
  return names;
}

void expect_proven(Collective collective, const std::string& level, Collective of_level) {
  proof::VerifyRequest request;
  for (const std::string& name : for_any_ranks(of_level))
    request.choices.push_back(
        parse_choice(collective, std::string("hier(").append(level).append("=").append(name).append(")")));
  request.ranks = {1, 2, 5, 8, 9};
  request.processes = 2;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

/// Of several levels at once: shapes that are nested, and such that are not.
TEST(Hier, AnySetOfLevelsIsProven) {
  proof::VerifyRequest request;
  for (const char* text :
       {"cache=linear,leaf=chain", "numa=knomial:radix=4,node=none", "socket=linear,group=scatter_ring",
        "cache=linear,numa=linear,socket=chain,leaf=binomial,group=linear", "node=none"})
    request.choices.push_back(parse_choice(Collective::bcast, "hier(" + std::string(text) + ")"));
  for (const char* text : {"cache=flat,group=rabenseifner", "numa=linear,leaf=binomial", "node=none"}) {
    request.choices.push_back(parse_choice(Collective::reduce, "hier(" + std::string(text) + ")"));
    request.choices.push_back(
        parse_choice(Collective::allreduce,
                     "hier(" + std::string(text) + ",global=" + (text[0] == 'n' ? "linear" : "rabenseifner") + ")"));
  }
  request.choices.push_back(parse_choice(Collective::barrier, "hier(numa=linear,leaf=recursive_doubling)"));
  for (const char* text :
       {"node=none", "cache=linear,leaf=binomial", "numa=binomial,socket=linear,node=none,group=linear,global=bruck"})
    request.choices.push_back(parse_choice(Collective::allgather, "hier(" + std::string(text) + ")"));
  for (const Collective collective :
       {Collective::alltoall, Collective::reduce_scatter, Collective::reduce_scatter_block})
    for (const char* text :
         {"node=none", "cache=pairwise,leaf=pairwise", "numa=pairwise,socket=pairwise,node=none,group=pairwise"})
      request.choices.push_back(parse_choice(collective, "hier(" + std::string(text) + ")"));
  request.ranks = {1, 2, 5, 8, 9, 16, 24};
  request.processes = 2;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

TEST(Hier, AnyAlgorithmMayBeALevelOfABroadcast) {
  expect_proven(Collective::bcast, "node", Collective::bcast);
  expect_proven(Collective::bcast, "global", Collective::bcast);
}
TEST(Hier, AnyAlgorithmMayBeALevelOfAReduction) {
  expect_proven(Collective::reduce, "node", Collective::reduce);
  expect_proven(Collective::reduce, "global", Collective::reduce);
}
TEST(Hier, AnyAlgorithmMayBeALevelOfAnAllreduce) {
  expect_proven(Collective::allreduce, "node", Collective::reduce);
  expect_proven(Collective::allreduce, "global", Collective::allreduce);
  expect_proven(Collective::allreduce, "down", Collective::bcast);
}
TEST(Hier, AnyAlgorithmMayBeALevelOfAnAllgather) {
  expect_proven(Collective::allgather, "node", Collective::gather);
  expect_proven(Collective::allgather, "global", Collective::allgather);
  expect_proven(Collective::allgather, "down", Collective::bcast);
}
TEST(Hier, AnyAlgorithmMayBeALevelOfAnAllToAll) {
  expect_proven(Collective::alltoall, "node", Collective::alltoall);
  expect_proven(Collective::alltoall, "global", Collective::alltoall);
}
TEST(Hier, AnyAlgorithmMayBeALevelOfAReduceScatter) {
  for (const Collective collective : {Collective::reduce_scatter, Collective::reduce_scatter_block}) {
    expect_proven(collective, "node", collective);
    expect_proven(collective, "global", collective);
  }
}
TEST(Hier, AnyAlgorithmMayBeALevelOfABarrier) {
  expect_proven(Collective::barrier, "node", Collective::barrier);
  expect_proven(Collective::barrier, "global", Collective::barrier);
}

}  // namespace
}  // namespace tutti
