#include "algos/patterns/circulant.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti {
namespace {

TEST(Circulant, SkipsAreHalvedAndRoundedUp) {
  EXPECT_EQ(circulant_skips(1), (std::vector<int>{1}));
  EXPECT_EQ(circulant_skips(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(circulant_skips(17), (std::vector<int>{1, 2, 3, 5, 9, 17}));
}

/// What makes schedules right (section 2.1 of the paper): a rank receives, in a phase of as many rounds as skips, one
/// block of its own phase and all of the one before but its own of that, none twice; and it sends what it has received
/// in this phase or, of the one before, its own.
TEST(Circulant, EveryScheduleFulfilsThePapersConditionsUpTo2048Ranks) {
  for (int size = 2; size <= 2048; ++size) {
    const std::vector<int> skips = circulant_skips(size);
    const int rounds = static_cast<int>(skips.size()) - 1;
    std::vector<std::vector<int>> receives;
    for (int v = 0; v < size; ++v) receives.push_back(circulant_receive_schedule(skips, v));
    for (int v = 1; v < size; ++v) {
      const std::vector<int>& own = receives[static_cast<std::size_t>(v)];
      const int base = *std::max_element(own.begin(), own.end());
      ASSERT_GE(base, 0) << v << " of " << size;
      unsigned heard = 0;  // by block + rounds
      for (const int block : own) heard |= 1u << (block + rounds);
      ASSERT_EQ(heard, (((1u << rounds) - 1) & ~(1u << base)) | 1u << (base + rounds)) << v << " of " << size;
      for (int k = 0; k < rounds; ++k) {
        const int to = (v + skips[static_cast<std::size_t>(k)]) % size;
        if (to == 0) continue;
        const int sent = receives[static_cast<std::size_t>(to)][static_cast<std::size_t>(k)];
        ASSERT_TRUE(sent == base - rounds || std::find(own.begin(), own.begin() + k, sent) != own.begin() + k)
            << v << " of " << size << ", round " << k;
      }
    }
    for (int k = 0; k < rounds; ++k)  // the root sends the blocks of a phase in order
      ASSERT_EQ(
          receives[static_cast<std::size_t>(skips[static_cast<std::size_t>(k)] % size)][static_cast<std::size_t>(k)], k)
          << size;
  }
}

}  // namespace
}  // namespace tutti
