#include "selection/schedule.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti {
namespace {

/// Every number is that of a part's nodes, with one rank on each and one size.
std::vector<Chain> chains(const std::vector<std::vector<int>>& nodes) {
  std::vector<Chain> all;
  for (const auto& of_chain : nodes) {
    Chain& chain = all.emplace_back();
    for (const int n : of_chain) chain.push_back({{Collective::bcast, n, 1}, {8}, {}});
  }
  return all;
}

TEST(Schedule, EveryPartIsWorkedOnOnceAfterThoseBeforeIt) {
  for (const int jobs : {1, 2, 5}) {
    std::vector<Chain> all = chains({{1, 2, 3, 4}, {}, {5}, {2, 3}, {8, 9, 10}});
    std::mutex mutex;
    std::vector<std::vector<std::size_t>> done(all.size());
    Schedule(all).run(jobs, [&](Chain& chain, std::size_t part) {
      const std::scoped_lock lock(mutex);
      done[static_cast<std::size_t>(&chain - all.data())].push_back(part);
    });
    for (std::size_t c = 0; c < all.size(); ++c) {
      ASSERT_EQ(done[c].size(), all[c].size());
      for (std::size_t i = 0; i < done[c].size(); ++i) EXPECT_EQ(done[c][i], i) << "chain " << c;
    }
  }
}

TEST(Schedule, NextIsTheChainWithTheMostLeftToDo) {
  std::vector<Chain> all = chains({{1, 2}, {4, 8}, {9}});
  std::string order;
  Schedule(all).run(1, [&](Chain& chain, std::size_t part) { order += std::to_string(chain[part].place.nodes) + " "; });
  EXPECT_EQ(order, "4 9 8 1 2 ");  // left: 3, 12 and 9; then 3, 8 and 9; then 3 and 8; then 3; then 2
}

TEST(Schedule, TwoPartsOfOneChainAreNeverUnderWayAtOnce) {
  std::vector<Chain> all = chains({{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}});
  std::atomic<int> under_way[2] = {0, 0};
  Schedule(all).run(4, [&](Chain& chain, std::size_t) {
    std::atomic<int>& here = under_way[&chain - all.data()];
    EXPECT_EQ(here++, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --here;
  });
}

TEST(Schedule, AFailureEndsItAndIsThrown) {
  for (const int jobs : {1, 3}) {
    std::vector<Chain> all = chains({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}});
    std::atomic<int> begun = 0;
    const auto work = [&](Chain&, std::size_t) {
      if (++begun == 2) throw std::runtime_error("the second");
    };
    EXPECT_THROW(Schedule(all).run(jobs, work), std::runtime_error);
    if (jobs == 1) {
      EXPECT_EQ(begun, 2);
    }
  }
}

}  // namespace
}  // namespace tutti
