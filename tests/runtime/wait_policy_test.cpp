#include "runtime/wait_policy.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

std::uint32_t polls_until_a_yield(WaitPolicy policy, bool patient) {
  std::uint32_t polls = 1;
  while (!policy.pause(polls, patient)) ++polls;
  return polls;
}

TEST(WaitPolicy, RanksThatShareCoresYieldAtOnce) {
  EXPECT_TRUE(WaitPolicy::for_ranks(4, 2).is_crowded());
  EXPECT_EQ(polls_until_a_yield(WaitPolicy::for_ranks(4, 2), false), 1u);
}

TEST(WaitPolicy, WhatComesFromOtherCoresIsPolledForFirstButNotForLong) {
  const std::uint32_t polls = polls_until_a_yield(WaitPolicy::for_ranks(4, 2), true);
  EXPECT_GT(polls, 1u);
  EXPECT_LT(polls, 100u);
}

TEST(WaitPolicy, WhereEveryRankHasACoreItPollsForLong) {
  EXPECT_FALSE(WaitPolicy::for_ranks(2, 2).is_crowded());
  EXPECT_GT(polls_until_a_yield(WaitPolicy::for_ranks(2, 2), false), 1000u);
}

}  // namespace
}  // namespace tutti
