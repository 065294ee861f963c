#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algos/registry.hpp"
#include "base/error.hpp"
#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

namespace tutti {
namespace {

std::vector<Rank> ranks_of(std::span<const Neighbor> neighbors) {
  std::vector<Rank> ranks;
  for (const Neighbor& one : neighbors) ranks.push_back(one.rank);
  return ranks;
}

std::string refusal_of_neighbors(const std::string& text, int ranks) {
  try {
    Neighborhood::from(text, ranks);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Neighborhood, OfAGridIsInTheOrderOfMpi) {
  // Ranks 0 1 2 / 3 4 5, the last coordinate running fastest: before and after along the first dimension, then along
  // the second.
  EXPECT_EQ(ranks_of(Neighborhood::from("2x3", 6)->targets(4)), (std::vector<Rank>{1, 1, 3, 5}));
  EXPECT_EQ(ranks_of(Neighborhood::from("2x3:open", 6)->targets(5)), (std::vector<Rank>{2, kNobody, 4, kNobody}));
  EXPECT_EQ(ranks_of(Neighborhood::from("3x3:box", 9)->targets(4)), (std::vector<Rank>{0, 1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(ranks_of(Neighborhood::from("9:box=2:open", 9)->targets(1)), (std::vector<Rank>{kNobody, 0, 2, 3}));
  EXPECT_EQ(Neighborhood::from("4x4x4:box", 64)->targets(0).size(), 26u);
  EXPECT_EQ(Neighborhood::from("1x5", 5)->edges(), 10) << "along the first dimension each is its own neighbour";
}

TEST(Neighborhood, BothEndsKnowABlocksPlaceAtTheOther) {
  for (const char* text :
       {"12", "2x6", "12:open", "2x2x3:box", "3x4:box=2", "3x4:box:open", "random:5", "random:11:7"}) {
    const auto all = Neighborhood::from(text, 12);
    for (Rank rank = 0; rank < 12; ++rank)
      for (std::size_t i = 0; i < all->targets(rank).size(); ++i) {
        const auto [to, slot] = all->targets(rank)[i];
        if (to == kNobody) continue;
        const Neighbor& back = all->sources(to)[static_cast<std::size_t>(slot)];
        EXPECT_EQ(back.rank, rank) << text;
        EXPECT_EQ(back.slot, static_cast<int>(i)) << text;
      }
  }
}

TEST(Neighborhood, ThatIsDrawnHasOtherRanksOnceEach) {
  const auto all = Neighborhood::from("random:5:3", 9);
  for (Rank rank = 0; rank < 9; ++rank) {
    const std::vector<Rank> targets = ranks_of(all->targets(rank));
    EXPECT_EQ(std::set<Rank>(targets.begin(), targets.end()).size(), 5u);
    EXPECT_EQ(std::count(targets.begin(), targets.end(), rank), 0);
  }
  EXPECT_EQ(ranks_of(Neighborhood::from("random:5:3", 9)->targets(4)), ranks_of(all->targets(4)));
}

TEST(Neighborhood, WhatDoesNotFitIsRefused) {
  for (const char* text : {"", "4x", "x4", "4x-1", "4:closed", "4:open:open", "4:box:box", "4:box=", "4:boxer",
                           "4:open:boxer", "random", "random:x", "random:1:2:3"})
    EXPECT_NE(refusal_of_neighbors(text, 4).find("expected a grid as 4x4x2"), std::string::npos) << text;
  EXPECT_EQ(refusal_of_neighbors("3x2", 4), "neighbours '3x2': a grid of 6 ranks: expected 4");
  EXPECT_EQ(refusal_of_neighbors("random:4", 4), "neighbours 'random:4': expected fewer than the 4 ranks");
  EXPECT_EQ(refusal_of_neighbors("1x1x1x4:box=20", 4), "neighbours '1x1x1x4:box=20': expected at most 4096 of a rank");
  EXPECT_THROW(Neighborhood(3, {{0, 3}}), InputError);
  EXPECT_THROW(with_neighborhood({Collective::bcast, 4}, Neighborhood::from("4", 4)), InputError);
  EXPECT_THROW(with_neighborhood({Collective::neighbor_alltoall, 5}, Neighborhood::from("4", 4)), InputError);
  Case in_place{Collective::neighbor_alltoall, 4};
  in_place.in_place = true;
  EXPECT_THROW(with_neighborhood(in_place, Neighborhood::from("4", 4)), InputError);
  EXPECT_THROW(buffer_sizes({Collective::neighbor_alltoall, 4, 1}, 0), std::logic_error) << "without neighbours";
}

double messages(const char* algorithm, Collective collective, const char* text, int ranks) {
  const Case c = with_neighborhood({collective, ranks, 8}, Neighborhood::from(text, ranks));
  const Algorithm& found = find_algorithm(collective, algorithm);
  return found.messages()(Facts(c, {}));
}

double bytes(const char* algorithm, Collective collective, const char* text, int ranks) {
  const Case c = with_neighborhood({collective, ranks, 8}, Neighborhood::from(text, ranks));
  return find_algorithm(collective, algorithm).bytes()(Facts(c, {}));
}

TEST(MessageCombining, HasThePapersRoundsAndVolumes) {
  // Traeff and Hunold, ICPP 2019: of the 3^d - 1 neighbours of a stencil in d dimensions, 2d messages; each block of an
  // alltoall as often as its offset has coordinates that are not 0, of an allgather once for each neighbour.
  constexpr Collective kAlltoall = Collective::neighbor_alltoall, kAllgather = Collective::neighbor_allgather;
  EXPECT_EQ(messages("linear", kAlltoall, "4x4x4:box", 64), 64 * 26);
  EXPECT_EQ(messages("combining", kAlltoall, "4x4x4:box", 64), 64 * 6);
  EXPECT_EQ(messages("combining", kAllgather, "4x4x4:box", 64), 64 * 6);
  EXPECT_EQ(bytes("linear", kAlltoall, "4x4x4:box", 64), 64 * 8 * 26);
  EXPECT_EQ(bytes("combining", kAlltoall, "4x4x4:box", 64), 64 * 8 * (6 * 1 + 12 * 2 + 8 * 3));
  EXPECT_EQ(bytes("combining", kAllgather, "4x4x4:box", 64), 64 * 8 * 26);
  EXPECT_EQ(messages("combining", kAlltoall, "5x5:box=2", 25), 25 * 8);
  EXPECT_EQ(messages("combining", kAlltoall, "8x8", 64), messages("linear", kAlltoall, "8x8", 64)) << "of a star";
  EXPECT_EQ(messages("combining", kAlltoall, "3x3:box:open", 9), 24) << "over each of the inner borders, either way";
}

Case among(Collective collective, int ranks, const std::vector<Neighborhood::Edge>& edges, Count count) {
  return with_neighborhood(Case{collective, ranks, count, 1, 0, false, Operator::sum},
                           std::make_shared<const Neighborhood>(ranks, edges));
}

TEST(NodeAware, SendsOneMessageFromEachNodeToEachOther) {
  std::vector<Neighborhood::Edge> all;
  for (Rank from = 0; from < 16; ++from)
    for (Rank to = 0; to < 16; ++to)
      if (to != from) all.emplace_back(from, to);
  NodeOfRank in_blocks, in_turn;
  for (Rank rank = 0; rank < 16; ++rank) {
    in_blocks.push_back(rank / 4);
    in_turn.push_back(rank % 4);
  }
  for (const NodeOfRank& nodes : {in_blocks, in_turn}) {
    // On each of four nodes three ranks send to another node and take in from it, each for the other three, beside 12
    // messages for the node itself.
    const auto each = executed("node_aware", among(Collective::neighbor_alltoall, 16, all, 5), nodes);
    EXPECT_EQ(each.messages, 4 * (9 + 3 + 12 + 9));
    EXPECT_EQ(each.elements_sent, 5 * 4 * (36 + 48 + 12 + 36));
    const auto one = executed("node_aware", among(Collective::neighbor_allgather, 16, all, 5), nodes);
    EXPECT_EQ(one.messages, each.messages);
    EXPECT_EQ(one.elements_sent, 5 * 4 * (9 + 12 + 12 + 36)) << "a block goes to a node once";
  }
}

TEST(NodeAware, TakesAnyGraph) {
  const std::vector<Neighborhood::Edge> edges{{0, 0}, {0, 5}, {5, 0}, {0, 5}, {1, 0}, {0, 3}, {3, 3},
                                              {0, 5}, {2, 6}, {6, 2}, {6, 1}, {3, 0}, {1, 0}, {1, 2}};
  for (const NodeOfRank& nodes : {NodeOfRank{}, {0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 2, 2}, {2, 1, 2, 1, 0, 0, 1}})
    for (const Collective collective : {Collective::neighbor_alltoall, Collective::neighbor_alltoallv,
                                        Collective::neighbor_allgather, Collective::neighbor_allgatherv})
      for (const Count count : {0, 3}) {
        Case c = among(collective, 7, edges, count);
        if (is_irregular(collective) && count > 0) c = with_counts(c, "zipf:1", 40);
        proof::Executor executor;
        const auto fault = proof::prove(executor, parse_choice(collective, "node_aware"), c, nodes);
        EXPECT_FALSE(fault) << fault->text;
      }
}

TEST(CountsAmongNeighbors, AddUpAndAreTheSameAtBothEnds) {
  const auto all = Neighborhood::from("3x4:open", 12);
  for (const char* text : {"equal", "zipf:1.5", "random:3", "one:1"}) {
    const auto counts = BlockCounts::among(*all, text, 7, true);
    EXPECT_EQ(counts->total(), 7 * all->edges()) << text;
    for (Rank rank = 0; rank < 12; ++rank)
      for (std::size_t i = 0; i < all->targets(rank).size(); ++i) {
        const auto [to, slot] = all->targets(rank)[i];
        const Count sent = counts->exchange(rank).sent.count(static_cast<int>(i));
        EXPECT_EQ(sent, to == kNobody ? 0 : counts->exchange(to).received.count(slot)) << text;
      }
    EXPECT_EQ(BlockCounts::among(*all, text, 7, false)->total(), 7 * 12) << text;
  }
  EXPECT_THROW(BlockCounts(*all, std::vector<Count>(11, 1), false), InputError);
  EXPECT_THROW(BlockCounts(*all, std::vector<Count>(48, 1), true), InputError) << "counts for nobody";
}

}  // namespace
}  // namespace tutti
