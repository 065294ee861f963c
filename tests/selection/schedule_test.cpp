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

#include "selection/sweep_plan.hpp"

namespace tutti {
namespace {

/// Every number is that of a part's nodes, with one rank on each and one size.
Chain chain_of(Collective collective, const std::vector<int>& nodes) {
  Chain chain;
  for (const int n : nodes) chain.push_back({{collective, n, 1}, {8}, {}});
  return chain;
}

std::vector<Chain> chains(const std::vector<std::vector<int>>& nodes) {
  std::vector<Chain> all;
  all.reserve(nodes.size());
  for (const auto& of_chain : nodes) all.push_back(chain_of(Collective::bcast, of_chain));
  return all;
}

std::string order_of(std::vector<Chain> all) {
  std::string order;
  Schedule(all).run(1, [&](Chain& chain, std::size_t part) { order += std::to_string(chain[part].place.nodes) + " "; });
  return order;
}

TEST(Schedule, EveryPartIsWorkedOnOnceAfterThoseThatAreSearchedBeforeIt) {
  for (const int jobs : {1, 2, 5}) {
    std::vector<Chain> all = chains({{1, 2, 3, 4}, {5}, {2, 3}, {8, 9, 10}});
    std::mutex mutex;
    std::vector<std::vector<std::size_t>> done(all.size());
    Schedule(all).run(jobs, [&](Chain& chain, std::size_t part) {
      const std::scoped_lock lock(mutex);
      done[static_cast<std::size_t>(&chain - all.data())].push_back(part);
    });
    for (std::size_t c = 0; c < all.size(); ++c) EXPECT_EQ(done[c], search_order(all[c])) << "chain " << c;
  }
}

TEST(Schedule, NextIsTheChainWithTheMostLeftToDo) {
  EXPECT_EQ(order_of({chain_of(Collective::bcast, {1, 2}), chain_of(Collective::reduce, {4, 8}),
                      chain_of(Collective::barrier, {9})}),
            "4 9 8 1 2 ");  // left: 3, 12 and 9; then 3, 8 and 9; then 3 and 8; then 3; then 2
}

TEST(Schedule, OfACollectiveTheFewestNodesComeFirstThenTheMostAndThoseInTheMiddle) {
  EXPECT_EQ(order_of(chains({{2, 3}, {4, 5}, {6}, {7}, {8}, {9}, {10, 11}})), "2 3 10 11 7 4 8 5 9 6 ")
      << "of those on one level that with the most left";
  EXPECT_EQ(order_of(chains({{2}, {3}})), "2 3 ");
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
