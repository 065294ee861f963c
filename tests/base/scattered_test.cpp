#include "base/scattered.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tutti {
namespace {

TEST(Scattered, IsEveryNumberOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 17U, 1000U}) {
    const std::vector<std::size_t> order = scattered(count);
    const std::set<std::size_t> all(order.begin(), order.end());
    EXPECT_EQ(order.size(), count);
    EXPECT_EQ(all.size(), count);
    EXPECT_TRUE(all.empty() || *all.rbegin() == count - 1);
  }
}

TEST(Scattered, AnyTenthOfTheListIsATenthOfEveryFirstPart) {
  constexpr std::size_t kCount = 1000;
  const std::vector<std::size_t> order = scattered(kCount);
  for (std::size_t part = 100; part <= kCount; part += 100)
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      const auto begin = order.begin(), end = begin + static_cast<std::ptrdiff_t>(part);
      const auto here = std::count_if(begin, end, [&](std::size_t i) { return i / 100 == tenth; });
      EXPECT_NEAR(static_cast<double>(here), static_cast<double>(part) / 10, 3) << part << ' ' << tenth;
    }
}

}  // namespace
}  // namespace tutti
