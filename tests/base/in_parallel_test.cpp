#include "base/in_parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tutti {
namespace {

TEST(InParallel, EveryOneIsDoneOnceWhateverTheThreads) {
  for (const int threads : {1, 2, 3, 8})
    for (const std::size_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> done(count);
      in_parallel(threads, count, [&](std::size_t i, std::size_t thread) {
        EXPECT_LT(thread, static_cast<std::size_t>(threads));
        ++done[i];
      });
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(done[i], 1) << i << " of " << count << ", " << threads;
    }
}

TEST(InParallel, AThreadDoesOneThingAtATimeAndTheCallerIsNumberZero) {
  constexpr int kThreads = 4;
  std::vector<std::atomic<int>> busy(kThreads);
  const std::thread::id caller = std::this_thread::get_id();
  in_parallel(kThreads, 400, [&](std::size_t, std::size_t thread) {
    EXPECT_EQ(busy[thread]++, 0);
    EXPECT_EQ(thread == 0, std::this_thread::get_id() == caller);
    std::this_thread::yield();
    --busy[thread];
  });
}

TEST(InParallel, WhatTheFirstThrewIsThrownAndNoFurtherOneBegins) {
  for (const int threads : {1, 4}) {
    std::atomic<int> begun = 0;
    const auto work = [&](std::size_t i, std::size_t) {
      ++begun;
      if (i == 3) throw std::runtime_error("the fourth");
      // The others must not be through before the thrower is unwound, however long a busy machine keeps it waiting.
      if (i > 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    try {
      in_parallel(threads, 100'000, work);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "the fourth");
    }
    EXPECT_GE(begun, 4);
    EXPECT_LT(begun, 100'000);
    if (threads == 1) {
      EXPECT_EQ(begun, 4);
    }
  }
}

}  // namespace
}  // namespace tutti
