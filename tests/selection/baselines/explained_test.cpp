// A library's choice and the reason for it come from one place.
#include <gtest/gtest.h>

#include <random>

#include "selection/baseline_rules.hpp"
#include "selection/baselines.hpp"
#include "selection/own_parts.hpp"

namespace tutti {
namespace {

Case random_case(std::mt19937_64& random) {
  Case c;
  c.collective = static_cast<Collective>(random() % kCollectives);
  c.ranks = 1 + static_cast<int>(random() % (random() % 2 == 0 ? 40 : 5000));
  c.element_bytes = default_element_bytes(c.collective);
  const std::int64_t bytes = std::int64_t{1} << random() % 27;
  c.count =
      count_for_total_bytes(c.collective, c.ranks, c.element_bytes,
                            c.collective == Collective::barrier ? 0 : 4 * (bytes + static_cast<int>(random() % 9)));
  c.in_place = random() % 8 == 0;
  c.op = std::vector{Operator::sum, Operator::user, Operator::user_commutative}[random() % 3];
  return c;
}

TEST(Explained, TheChoiceIsThatOfWhoDoesNotAskWhy) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(random);
    const int nodes = 1 + static_cast<int>(random() % static_cast<unsigned>(c.ranks));
    for (const std::string& name : baseline_names()) {
      Explanation why;
      const auto found = pick_if_ours(find_baseline(name), c, evenly(nodes, c.ranks));
      if (!found) continue;
      const BaselinePick told = pick(find_baseline(name), c, evenly(nodes, c.ranks), &why);
      ASSERT_EQ(found->choice, told.choice);
      ASSERT_EQ(found->remark, told.remark);
      ASSERT_TRUE(why.told && !why.because.empty() && !why.rule.empty() && !why.component.empty()) << name;
      if (name == "mvapich2-2.3") continue;  // whose scatters by node are named as coll/han's are
      ASSERT_EQ(why.component == "coll/han", told.choice.algorithm->name() == "han") << name;
      const bool is_made_of_parts =
          told.choice.algorithm->name() == "han" || (why.component == "coll/tuned" && has_parts(told.choice));
      ASSERT_EQ(why.parts.empty(), !is_made_of_parts) << name << " " << told.choice.text();
    }
  }
}

/// What the rule that is named says, found by its number.
TEST(Explained, TheRuleThatIsNamedSaysIt) {
  std::mt19937_64 random(4);
  const Baseline& library = find_baseline("open-mpi-4.1");
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(random);
    Explanation why;
    const Choice choice = pick_by_rules(library, c, evenly(1, c.ranks), &why).choice;
    const auto& rules = library.collectives.at(c.collective).rules;
    const std::size_t number = std::stoul(why.rule.substr(5));
    ASSERT_TRUE(number >= 1 && number <= rules.size()) << why.rule;
    bool says_it = false;
    for (const auto& step : rules[number - 1].steps) says_it = says_it || step.choice == choice;
    ASSERT_TRUE(says_it) << why.rule << " " << choice.text();
    ASSERT_LT(c.ranks, rules[number - 1].ranks_below);
    ASSERT_NE(why.because.back().find(choice.text()), std::string::npos) << why.because.back();
  }
}

TEST(Explained, FallBacksAreToldOneByOne) {
  const Case six{Collective::allgather, 6, 1024, 1};
  const Choice choice = default_choice(find_algorithm(Collective::allgather, "recursive_doubling"));
  ASSERT_EQ(explain_fallbacks(choice, six).size(), 1u);
  EXPECT_NE(explain_fallbacks(choice, six)[0].find("bruck runs in its place"), std::string::npos);
  EXPECT_TRUE(explain_fallbacks(choice, {Collective::allgather, 8, 1024, 1}).empty());
}

TEST(Explained, LayoutsAndSizesAreSaidAsPeopleDo) {
  EXPECT_EQ(layout_text(evenly(4, 8), 8), "4 nodes with 2 ranks each");
  EXPECT_EQ(layout_text(evenly(4, 4), 4), "4 nodes with one rank each");
  EXPECT_EQ(layout_text(evenly(1, 8), 8), "one node with 8 ranks");
  EXPECT_EQ(layout_text(evenly(3, 8), 8), "8 ranks on 3 nodes, 2 to 3 on each");
  EXPECT_EQ(layout_text({3, 5, 1}, 9), "9 ranks on 3 nodes, 1 to 5 on each");
  EXPECT_EQ(layout_text(evenly(1, 1), 1), "one rank");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1000), "1000 bytes");
  EXPECT_EQ(bytes_text(65536), "65536 bytes (64K)");
}

}  // namespace
}  // namespace tutti
