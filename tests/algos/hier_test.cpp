#include <gtest/gtest.h>

#include "algos/named_choice.hpp"
#include "base/error.hpp"
#include "sim/proof/executor.hpp"
#include "sim/proof/verify.hpp"

/// Compositions that name an algorithm for each level.
namespace tutti {
namespace {

std::string refusal(Collective collective, const std::string& text) {
  try {
    static_cast<void>(parse_choice(collective, text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Hier, TextNamesTheAlgorithmsOfTheLevelsAndReadsBack) {
  for (const char* text : {"hier", "hier(node=linear)", "hier(global=scatter_ring)",
                           "hier(node=linear,global=pipeline:segment=8192)", "hier(node=knomial:radix=8)"}) {
    const Choice choice = parse_choice(Collective::bcast, text);
    EXPECT_EQ(choice.text(), text);
    EXPECT_EQ(parse_choice(Collective::bcast, choice.text()), choice);
  }
  EXPECT_EQ(parse_choice(Collective::bcast, "hier(node=binomial,global=knomial:radix=4)").text(),
            "hier(global=knomial)")
      << "defaults are left out";
  EXPECT_EQ(parse_choice(Collective::bcast, "hier:node=linear").text(), "hier(node=linear)");
}

TEST(Hier, MistakesAreRefusedWithWhatWasExpected) {
  const auto has = [](const std::string& text, const std::string& expected) {
    EXPECT_NE(refusal(Collective::bcast, text).find(expected), std::string::npos)
        << text << ": " << refusal(Collective::bcast, text);
  };
  has("hier(node=linear", "expected a ')' at its end");
  has("hier(node=linear)x", "expected nothing after the ')'");
  has("hier(node)", "expected name=value");
  has("hier(leaf=linear)", "unknown parameter 'leaf' of bcast/hier: expected one of node, global");
  has("hier(node=brick)", "unknown algorithm 'brick' for bcast");
  has("hier(node=ring:radix=x)", "unknown algorithm 'ring' for bcast");
  has("hier(node=knomial:radix=x)", "'x'");
  has("hier(node=smp)", "asks which ranks share a node");
  has("hier(node=hier(node=linear))", "asks which ranks share a node");
  has("binomial(node=linear)", "unknown parameter 'node' of bcast/binomial");
  EXPECT_NE(refusal(Collective::allreduce, "hier(node=ring)").find("'ring' for reduce"), std::string::npos)
      << "an allreduce reduces on nodes";
}

TEST(Hier, ListsAreDividedOutsideOfParentheses) {
  EXPECT_EQ(split_choices("ring,hier(node=linear,global=chain),linear"),
            (std::vector<std::string>{"ring", "hier(node=linear,global=chain)", "linear"}));
  EXPECT_EQ(split_choices(""), std::vector<std::string>{""});
  EXPECT_EQ(name_in_choice("hier(node=a:b=1):c=2"), "hier");
}

TEST(Hier, MessagesAreThoseOfTheLevels) {
  const auto messages = [](Collective collective, const char* text, const NodeOfRank& nodes, Rank root = 0) {
    proof::Executor executor;
    const Choice choice = parse_choice(collective, text);
    const Case c{collective, static_cast<int>(nodes.size()), 12, 4, root, false, Operator::sum};
    return executor.run(choice.algorithm->function(), c, choice, 1, nodes).messages;
  };
  const NodeOfRank four_times_two{0, 0, 1, 1, 2, 2, 3, 3}, uneven{0, 0, 0, 1, 1};
  EXPECT_EQ(messages(Collective::bcast, "hier", four_times_two, 5), 3 + 4);
  EXPECT_EQ(messages(Collective::bcast, "hier", uneven, 2), 1 + 1 + 3) << "from the root to who stands for it first";
  EXPECT_EQ(messages(Collective::bcast, "hier", uneven, 3), 1 + 3);
  EXPECT_EQ(messages(Collective::allreduce, "hier(global=ring)", four_times_two), 4 + 4 * 6 + 4);
  EXPECT_EQ(messages(Collective::reduce, "hier", uneven, 4), 3 + 1 + 1);
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
    request.choices.push_back(parse_choice(collective, "hier(" + level + "=" + name + ")"));
  request.ranks = {1, 2, 5, 8, 9};
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
TEST(Hier, AnyAlgorithmMayBeALevelOfABarrier) {
  expect_proven(Collective::barrier, "node", Collective::barrier);
  expect_proven(Collective::barrier, "global", Collective::barrier);
}

}  // namespace
}  // namespace tutti
