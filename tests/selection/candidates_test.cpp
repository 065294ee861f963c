#include "selection/candidates.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

std::vector<std::string> distinct(const std::vector<const char*>& texts, int nodes, int ppn) {
  Case c;
  c.collective = Collective::alltoall;
  c.ranks = nodes * ppn;
  c.count = 10;
  Places places;
  std::vector<Choice> choices;
  for (Rank rank = 0; rank < c.ranks; ++rank) places.node.push_back(rank / ppn);
  for (const char* text : texts) choices.push_back(parse_choice(c.collective, text));
  std::vector<std::string> kept;
  for (const std::size_t i : distinct_choices(choices, c, &places)) kept.push_back(choices[i].text());
  return kept;
}

TEST(Candidates, APartThatCannotRunIsNone) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(distinct({"pairwise", "permuted(of=two_proc)"}, 2, 1), (Texts{"pairwise", "permuted(of=two_proc)"}));
  EXPECT_EQ(distinct({"pairwise", "permuted(of=two_proc)"}, 3, 1), (Texts{"pairwise"}));
}

TEST(Candidates, AnOrderThatRanksHaveAnywayIsNoneOfItsOwn) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(distinct({"pairwise", "permuted(order=block)", "permuted(order=cyclic)", "permuted"}, 4, 2),
            (Texts{"pairwise", "permuted(order=cyclic)", "permuted"}));
  EXPECT_EQ(distinct({"pairwise", "permuted(order=block)", "permuted(order=cyclic)", "permuted"}, 4, 1),
            (Texts{"pairwise", "permuted"}));
  EXPECT_EQ(distinct({"bruck", "permuted(order=block)"}, 4, 2), (Texts{"bruck", "permuted(order=block)"}))
      << "pairwise itself is not asked for";
  EXPECT_EQ(distinct({"bruck", "permuted(order=block,of=bruck)"}, 4, 2), (Texts{"bruck"}));
  EXPECT_EQ(distinct({"pairwise", "permuted(order=1-0)"}, 4, 2), (Texts{"pairwise", "permuted(order=1-0)"}));
}

}  // namespace
}  // namespace tutti
