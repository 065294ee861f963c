#include "sim/event_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tutti {
namespace {

TEST(EventQueue, GivesEventsByTimeAndThoseOfOneTimeInTheOrderOfTheirPlanning) {
  std::mt19937_64 random(1);
  EventQueue queue;
  std::multimap<double, std::uint32_t> expected;  // keeps the order of equal keys
  double now = 0;
  std::uint32_t planned = 0;
  for (int step = 0; step < 200'000; ++step) {
    const bool grows = step / 20'000 % 2 == 0;
    if (expected.empty() || random() % 4 < (grows ? 3 : 1)) {
      const double delay = random() % 3 == 0 ? 0 : static_cast<double>(random() % 1000) * 0x1p-30;
      queue.push(now + delay, {Event::Kind::transfer, planned});
      expected.emplace(now + delay, planned++);
    } else {
      ASSERT_FALSE(queue.empty());
      now = expected.begin()->first;
      ASSERT_EQ(queue.next_seconds(), now);
      ASSERT_EQ(queue.pop().id, expected.begin()->second);
      expected.erase(expected.begin());
    }
    ASSERT_EQ(queue.empty(), expected.empty());
  }
}

/// A few events that are far apart, and thousands between them.
TEST(EventQueue, KeepsTheOrderOfWhatIsPlannedBetweenThoseThatComeNext) {
  std::mt19937_64 random(2);
  EventQueue queue;
  std::multimap<double, std::uint32_t> expected;
  std::uint32_t planned = 0;
  const auto plan = [&](double seconds) {
    queue.push(seconds, {Event::Kind::transfer, planned});
    expected.emplace(seconds, planned++);
  };
  for (int burst = 0; burst < 200; ++burst) {
    const double now = burst;
    for (int i = 0; i < 60; ++i) plan(now + static_cast<double>(random() % 60) / 64);
    for (int events = burst % 10 == 0 ? 3000 : 150; !expected.empty();) {
      const double then = expected.begin()->first;
      ASSERT_EQ(queue.next_seconds(), then);
      ASSERT_EQ(queue.pop().id, expected.begin()->second);
      expected.erase(expected.begin());
      for (int i = 0; i < 40 && events > 0; ++i, --events)
        plan(then + static_cast<double>(random() % 4096) / 4096 * (now + 1 - then));
    }
    ASSERT_TRUE(queue.empty());
  }
}

TEST(EventQueue, IsEmptyOnceCleared) {
  EventQueue queue;
  for (const double seconds : {0.0, 0.0, 1e-6, 2e-3}) queue.push(seconds, {Event::Kind::transfer, 0});
  queue.pop();
  queue.clear();
  EXPECT_TRUE(queue.empty());
  queue.push(1, {Event::Kind::transfer, 7});
  EXPECT_EQ(queue.next_seconds(), 1);
  EXPECT_EQ(queue.pop().id, 7u);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace tutti
