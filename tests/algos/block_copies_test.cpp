#include "algos/patterns/block_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tutti {
namespace {

/// All ranks that it stands for, and the elements of their blocks, in order.
void expect_all(const std::vector<Rank>& order, const Blocks& blocks) {
  const View all = View::contiguous(View::kIn, 0, blocks.total());
  std::vector<Rank> ranks;
  std::vector<Count> elements, expected;
  for (const SpacedRanks& spaced : spaced_ranks(order, blocks)) {
    EXPECT_EQ(spaced.first, ranks.size());
    for (int i = 0; i < spaced.ranks; ++i) ranks.push_back(spaced.first_rank + i * spaced.apart);
    const View there = spaced.blocks_of(all, blocks);
    for (int run = 0; run < there.repeats; ++run)
      for (Count i = 0; i < there.run(run).elements(); ++i) elements.push_back(there.run(run).first + i);
  }
  EXPECT_EQ(ranks, order);
  for (const Rank r : order)
    for (Count i = 0; i < blocks.count(r); ++i) expected.push_back(blocks.first(r) + i);
  EXPECT_EQ(elements, expected);
}

TEST(SpacedRanks, AreAllOfAnyOrderWithTheirBlocks) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const int parts = 1 + static_cast<int>(random() % 20);
    std::vector<Rank> order(static_cast<std::size_t>(parts));
    std::iota(order.begin(), order.end(), 0);
    if (i % 3 == 0) std::shuffle(order.begin(), order.end(), random);
    if (i % 3 == 1) std::stable_sort(order.begin(), order.end(), [](Rank a, Rank b) { return a % 4 < b % 4; });
    order.resize(1 + random() % order.size());
    expect_all(order, Blocks::split(static_cast<Count>(random() % 60), parts));
  }
}

TEST(SpacedRanks, OfAsManyNodesAsBlocksAreApartAreOneRun) {
  const Blocks blocks = Blocks::regular(12, 5);
  EXPECT_EQ(spaced_ranks({0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, blocks).size(), 4u);
  EXPECT_EQ(spaced_ranks({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, blocks).size(), 1u);
  EXPECT_EQ(spaced_ranks({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Blocks::split(65, 12)).size(), 2u);
  const std::vector<Count> firsts{0, 1, 3, 6};
  EXPECT_EQ(spaced_ranks({0, 1, 2}, {3, 0, 0, firsts.data()}).size(), 3u) << "blocks of any size";
}

}  // namespace
}  // namespace tutti
