#include "algos/patterns/bine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

namespace tutti {
namespace {

constexpr BineOrder kOrders[] = {BineOrder::near_first, BineOrder::far_first};

TEST(Bine, PartnersAreOneOneThreeFiveElevenAndTwentyOneRanksApart) {
  for (int step = 0; const Rank away : {1, 63, 3, 59, 11, 43}) EXPECT_EQ(bine_peer(0, step++, 64), away);
  for (int step = 0; const Rank away : {0, 2, 62, 6, 54, 22}) EXPECT_EQ(bine_peer(1, step++, 64), away);
}

TEST(Bine, EachOfAnEvenNumberOfRanksIsThePartnerOfItsPartnerAndHearsOfRank0InTime) {
  for (int size = 2; size <= 2048; size += 2)
    for (const BineOrder order : kOrders) {
      const auto& arrivals = bine_arrivals(size, order);
      EXPECT_EQ(arrivals[0], -1);
      for (Rank rank = 1; rank < size; ++rank) {
        const int step = arrivals[static_cast<std::size_t>(rank)];
        ASSERT_TRUE(step >= 0 && step < bine_steps(size)) << rank << " of " << size;
        const Rank peer = bine_peer(rank, step, size);
        ASSERT_EQ(bine_peer(peer, step, size), rank) << size;
        if (peer == 0) continue;
        const int before = arrivals[static_cast<std::size_t>(peer)];
        ASSERT_TRUE(order == BineOrder::near_first ? before < step : before > step) << rank << " of " << size;
      }
    }
}

/// Ranks on nodes of 16, one after the other or in turn: blocks of an allgather that go from node to node.
int between_nodes(bool in_turn) {
  const int size = 128, nodes = 8;
  const auto node = [=](Rank rank) { return in_turn ? rank % nodes : rank / (size / nodes); };
  int blocks = 0;
  for (Rank rank = 0; rank < size; ++rank) {
    std::set<Rank> heard{rank};
    for (Rank x = 1; x < size; ++x) {
      const int step = bine_arrivals(size, BineOrder::far_first)[static_cast<std::size_t>(x)];
      blocks += node(rank) != node(bine_peer(rank, step, size));
      heard.insert(bine_block(rank, x, size));
    }
    EXPECT_EQ(heard.size(), static_cast<std::size_t>(size));
  }
  return blocks;
}

TEST(Bine, AnAllgatherSendsTwiceTheFewestBlocksBetweenNodesOfConsecutiveRanks) {
  EXPECT_EQ(between_nodes(false), 1856);  // of 8 * 112 = 896 at least, and 14,336 by recursive doubling
  EXPECT_EQ(between_nodes(true), 16256);
}

TEST(Bine, PartnersHaveTheTwoHalvesOfAWindowOfNumbersAndAreBothTheFirstOfTheirsOrNeither) {
  for (int steps = 0; steps <= 12; ++steps) {
    const int size = 1 << steps;
    for (Rank rank = 0; rank < size; ++rank) {
      const int number = bine_number(rank, size);
      ASSERT_EQ(bine_rank_of(number, size), rank) << size;
      for (int step = 0, half = size / 2; half > 0; ++step, half /= 2) {
        const int its = bine_number(bine_peer(rank, step, size), size);
        ASSERT_EQ(its & -half, (number & -half) ^ half) << rank << " of " << size << ", step " << step;
        ASSERT_EQ(its % half == 0, number % half == 0) << rank << " of " << size << ", step " << step;
      }
    }
  }
}

TEST(Bine, NumbersOfMillionsOfRanksLeadBackToThem) {
  constexpr int size = 1 << 30;
  for (Rank rank = 1; rank < size; rank += 1'000'003) ASSERT_EQ(bine_rank_of(bine_number(rank, size), size), rank);
}

TEST(Bine, EachSubtreeIsAnIntervalOfTheLine) {
  for (int size = 1; size <= 300; ++size)
    for (int v = 0; v < size; ++v) {
      const BineInterval own = bine_interval(size, v);
      ASSERT_EQ(bine_rank_at(size, own.own), v);
      std::set<int> places{own.own};
      for (const int child : bine_tree(size, v, BineOrder::far_first).children) {
        const BineInterval its = bine_interval(size, child);
        for (int i = 0; i < its.ranks; ++i) ASSERT_TRUE(places.insert(its.first + i).second) << v << " of " << size;
      }
      ASSERT_EQ(*places.begin(), own.first) << v << " of " << size;
      ASSERT_EQ(static_cast<int>(places.size()), own.ranks) << v << " of " << size;
      ASSERT_EQ(*places.rbegin(), own.first + own.ranks - 1) << v << " of " << size;
    }
}

}  // namespace
}  // namespace tutti
