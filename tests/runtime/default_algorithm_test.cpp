// What runs where nobody names an algorithm.
#include <gtest/gtest.h>

#include <array>

#include "runtime/plan.hpp"

namespace tutti {
namespace {

TEST(DefaultAlgorithm, CanRunEveryCase) {
  for (int collective = 0; collective < kCollectives; ++collective)
    for (int ranks = 1; ranks <= 17; ++ranks)
      for (const Count count : {0, 1, 5, 1000, 70'000, 3'000'000})
        for (const bool in_place : {false, true})
          for (const Operator op : {Operator::sum, Operator::user})
            for (const bool on_one_node : {false, true})
              for (const bool crowded : {false, true}) {
                Case c{static_cast<Collective>(collective), ranks, count, 4, ranks - 1, in_place, op};
                const std::string name = default_algorithm(c, on_one_node, crowded);
                const Choice choice = resolve(parse_choice(c.collective, name), c);
                EXPECT_EQ(why_not(choice, c), "") << name << " of " << ranks << " ranks, " << count << " elements";
              }
}

TEST(DefaultAlgorithm, WhereRanksShareCoresFewMessagesComeBeforeFewSteps) {
  const Case long_bcast{Collective::bcast, 4, 1 << 20, 1}, barrier{Collective::barrier, 4};
  EXPECT_EQ(default_algorithm(long_bcast, true, true), "pipelined_tree:segment=16384");
  EXPECT_EQ(default_algorithm(long_bcast, true, false), "linear");
  EXPECT_EQ(default_algorithm(barrier, true, true), "recursive_doubling");
  EXPECT_EQ(default_algorithm(barrier, true, false), "flat");
}

TEST(Planner, TakesNothingThatGoesByALevelWhichNobodyKnowsHere) {
  const TeamLayout layout{0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 3};
  std::array<std::byte, 64> out{};
  CollectiveCall call;
  call.collective = Collective::bcast;
  call.in = call.out = out.data();
  call.in_elements = call.out_elements = out.size();
  const auto with = [](const char* algorithm) {
    Rule rule;
    rule.place = {Collective::bcast, 1, 3};
    rule.algorithm = algorithm;
    Table table;
    table.rules.push_back(rule);
    return table;
  };
  for (const char* text : {"hier(group=binomial)", "hier(leaf=binomial)"}) {
    EXPECT_EQ(Planner(layout, with(text)).plan(call).choice.algorithm->name().find("hier"), std::string::npos) << text;
    CollectiveCall named = call;
    named.algorithm = text;
    EXPECT_THROW(Planner(layout, {}).plan(named), std::invalid_argument) << text;
  }
  EXPECT_EQ(Planner(layout, with("hier(socket=binomial)")).plan(call).choice.text(), "hier(socket=binomial)");
}

}  // namespace
}  // namespace tutti
