#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <set>

#include "algos/patterns/circulant.hpp"
#include "algos/patterns/mixed_radix.hpp"
#include "algos/patterns/pat.hpp"
#include "algos/patterns/redundant_halving.hpp"
#include "algos/patterns/swing.hpp"
#include "algos/patterns/two_tree.hpp"
#include "sim/proof/executor.hpp"
#include "sim/proof/verify.hpp"

/// Algorithms that need the fewest rounds, or the fewest bytes, at any number of ranks.
namespace tutti {
namespace {

using proof::Execution;

/// More than the proof's: around powers of two and three.
const std::vector<int> kMany{2, 3, 5, 9, 10, 64, 81, 82, 100, 127, 128, 129, 255, 256, 257};

Execution proven(Collective collective, const std::string& text, int ranks, Count count, int ports = 1) {
  static proof::Executor executor;
  const Choice choice = parse_choice(collective, text);
  const Case c{collective, ranks, count, default_element_bytes(collective), 0, false, Operator::sum};
  Execution execution = executor.run(resolve(choice, c).algorithm->function(), c, resolve(choice, c), ports);
  EXPECT_FALSE(execution.fault) << text << " p=" << ranks << ": " << execution.fault->text;
  const auto wrong = check_results(executor, c);
  EXPECT_FALSE(wrong) << text << " p=" << ranks << ": " << wrong->text;
  return execution;
}

int logarithm(int p, int k) {
  int rounds = 0;
  for (std::int64_t reached = 1; reached < p; reached *= k) ++rounds;
  return rounds;
}

TEST(Census, ReducesToAllInTheFewestRoundsAtAnyNumberOfRanks) {
  for (int p = 2; p <= 130; ++p) {
    const Execution execution = proven(Collective::allreduce, "census", p, 2);
    EXPECT_EQ(execution.rounds, logarithm(p, 2)) << p;
    EXPECT_EQ(execution.messages, p * logarithm(p, 2)) << p;
    EXPECT_EQ(execution.elements_sent, 2 * p * logarithm(p, 2)) << p;
  }
}

TEST(Generalized, TradesStepsForBytesAtAnyNumberOfRanks) {
  for (const int p : {2, 3, 5, 9, 32, 64, 97, 100, 127}) {  // from 97 on many sums lie side by side
    const int steps = logarithm(p, 2);
    std::int64_t least = std::int64_t{2} * p * (p - 1);  // blocks of an element: that of the fewest bytes
    for (int saved = 0; saved <= steps + 1; ++saved) {
      const Execution execution = proven(Collective::allreduce, "generalized:saved=" + std::to_string(saved), p, p);
      EXPECT_EQ(execution.rounds, 2 * steps - std::min(saved, steps)) << p << " " << saved;
      EXPECT_EQ(execution.messages, p * (2 * steps - std::min(saved, steps))) << p << " " << saved;
      EXPECT_EQ(execution.elements_sent == least, saved == 0 || p == 2) << p << " " << saved;
      EXPECT_GE(execution.elements_sent, least) << p << " " << saved;
      // Of a power of two, halving keeps 2^saved - 1 blocks more in each step, as far as there are so many.
      if (const int kept = 1 << std::min(saved, steps); 1 << steps == p) {
        std::int64_t blocks = p - kept;
        for (int half = p / 2; half > 0; half /= 2) blocks += std::min(p, half + kept - 1);
        EXPECT_EQ(execution.elements_sent, p * blocks) << p << " " << saved;
      }
    }
  }
}

TEST(Generalized, SendsEachBlockOfASumOnceAndNoOther) {
  for (int p = 2; p <= 130; ++p) {
    const std::vector<int> skips = circulant_skips(p);
    for (const int kept : skips) {
      for (const std::vector<SumPiece>& pieces : sum_pieces(skips)) {
        std::set<std::pair<int, int>> needed, sent;  // which sum, of the block at which distance
        for (const SumPiece& piece : pieces)
          for (int i = piece.from; piece.arrived >= 0 && i < piece.to + kept - 1; ++i)
            needed.insert({piece.arrived, i % p});
        int number = 0;
        for (const SumPart& part : arriving_parts(pieces, kept, p)) {
          for (int i = 0; i < part.number; ++i) sent.insert({part.piece, (part.from + i) % p});
          number += part.number;
        }
        EXPECT_EQ(sent, needed) << p << " " << kept;
        EXPECT_EQ(number, static_cast<int>(needed.size())) << p << " " << kept;
      }
    }
  }
}

/// Elements that a rank took for itself in the run before.
Count scratch_taken(const proof::Buffers& buffers) {
  Count elements = 0;
  for (std::int32_t i = View::kFirstScratch; !buffers.outside(View::contiguous(i, 0, 1)); ++i)
    elements += buffers[i].size();
  return elements;
}

Count scratch_of_allreduce(const std::string& text, int p) {
  static proof::Executor executor;
  const Choice choice = parse_choice(Collective::allreduce, text);
  const Case c{Collective::allreduce, p, p, 4, 0, false, Operator::sum};
  const Execution execution = executor.run(choice.algorithm->function(), c, choice, 1);
  EXPECT_FALSE(execution.fault) << text << " p=" << p << ": " << execution.fault->text;
  return scratch_taken(executor.buffers(p / 2));
}

TEST(Generalized, UsesScratchAgainHoweverManyStepsThereAre) {
  for (const int p : {4, 16, 64, 128})
    for (int saved = 0; saved <= logarithm(p, 2); ++saved)
      EXPECT_EQ(scratch_of_allreduce("generalized:saved=" + std::to_string(saved), p), 2 * p) << p << " " << saved;
  for (const int p : {3, 7, 9, 11, 31, 85, 127}) {
    EXPECT_LE(scratch_of_allreduce("generalized:saved=0", p), 3 * p) << p;
    EXPECT_LE(scratch_of_allreduce("generalized:saved=1", p), 7 * p) << p;
  }
}

TEST(Circulant, TakesRoomForWhatArrivesAloneSinceNothingIsRotated) {
  for (const int p : {2, 3, 9, 64, 100}) EXPECT_EQ(scratch_of_allreduce("circulant", p), p / 2) << p;
}

TEST(Trivance, TriplesWhatARankKnowsInEveryRoundAndSendsNothingTwice) {
  for (const int p : {2, 3, 4, 10, 27, 28, 81, 82, 127, 129}) {
    const Execution gathered = proven(Collective::allgather, "trivance", p, 1, 2);
    EXPECT_EQ(gathered.rounds, logarithm(p, 3)) << p;
    EXPECT_EQ(gathered.elements_sent, std::int64_t{p} * (p - 1)) << p;
    const Execution scattered = proven(Collective::reduce_scatter, "trivance", p, p, 2);
    EXPECT_EQ(scattered.rounds, logarithm(p, 3)) << p;
    EXPECT_EQ(scattered.elements_sent, std::int64_t{p} * (p - 1)) << p;
    const Execution both = proven(Collective::allreduce, "trivance", p, p, 2);
    EXPECT_EQ(both.rounds, 2 * logarithm(p, 3)) << p;
    EXPECT_EQ(both.messages, 2 * gathered.messages) << p;
    EXPECT_LE(both.messages, 4 * p * logarithm(p, 3)) << p;
  }
  EXPECT_EQ(proven(Collective::allreduce, "trivance_lat", 243, 1, 2).rounds, 5);
  EXPECT_EQ(proven(Collective::allreduce, "trivance_lat", 244, 1, 2).rounds, 8);  // the census
}

TEST(CyclicShift, ReducesWhatKBruckGathersWithTheSameMessages) {
  for (const int k : {2, 3, 8})
    for (const int p : {2, 9, 10, 64, 100}) {
      const std::string radix = ":radix=" + std::to_string(k);
      const Execution gathered = proven(Collective::allgather, "k_bruck" + radix, p, 1, k - 1);
      const Execution scattered = proven(Collective::reduce_scatter, "cyclic_shift" + radix, p, p, k - 1);
      EXPECT_EQ(scattered.rounds, logarithm(p, k)) << p;
      EXPECT_EQ(scattered.messages, gathered.messages) << p;
      EXPECT_EQ(scattered.elements_sent, gathered.elements_sent) << p;
      EXPECT_EQ(proven(Collective::allreduce, "cyclic_shift" + radix, p, p, k - 1).messages, 2 * gathered.messages)
          << p;
    }
}

TEST(MixedRadix, FactorsAreAsLargeAsAllowedOrPrime) {
  EXPECT_EQ(mixed_radices(1, 4), (std::vector<int>{}));
  EXPECT_EQ(mixed_radices(128, 4), (std::vector<int>{4, 4, 4, 2}));
  EXPECT_EQ(mixed_radices(100, 8), (std::vector<int>{5, 5, 4}));
  EXPECT_EQ(mixed_radices(42, 4), (std::vector<int>{3, 2, 7}));
  EXPECT_EQ(mixed_radices(127, 8), (std::vector<int>{127}));
  for (int p = 1; p < 2000; ++p) {
    const auto radices = mixed_radices(p, 6);
    EXPECT_EQ(std::accumulate(radices.begin(), radices.end(), 1, std::multiplies<>()), p);
  }
}

TEST(Bcube, MeetsAllOthersOfADigitInEveryPhase) {
  for (const int p : {2, 9, 64, 81, 100, 127}) {
    int others = 0;
    for (const int factor : mixed_radices(p, 4)) others += factor - 1;
    const Execution execution = proven(Collective::allreduce, "bcube:radix=4", p, p);
    EXPECT_EQ(execution.messages, 2 * p * others) << p;
    EXPECT_EQ(execution.elements_sent, std::int64_t{2} * p * (p - 1)) << p;
  }
}

TEST(MixedRadix, TheLargestSmoothNumberHasNoLargerPrimeFactor) {
  EXPECT_EQ(largest_smooth(1, 2), 1);
  EXPECT_EQ(largest_smooth(127, 2), 64);
  EXPECT_EQ(largest_smooth(127, 3), 108);
  EXPECT_EQ(largest_smooth(257, 8), 256);
  EXPECT_EQ(largest_smooth(293, 8), 288);
  EXPECT_EQ(largest_smooth(293, 293), 293);
}

/// By hand: 13 ranks are three groups of four holders, the first of them with one rank more.
TEST(BcubeUneven, RanksThatAreTooManyShareTheWorkOfAGroup) {
  const Execution execution = proven(Collective::allreduce, "bcube_uneven:radix=4", 13, 12);
  EXPECT_EQ(execution.rounds, 2 * (4 + 2)) << "four others in that group, then two other groups";
  EXPECT_EQ(execution.messages, 2 * (4 * 4 + 2 * 4 * 3) + 2 * 12 * 2)
      << "to holders of the three groups, and by each of these to two others; and back";
  EXPECT_EQ(execution.elements_sent, 2 * 12 * 12);
  const Execution fits = proven(Collective::allreduce, "bcube_uneven:radix=4", 12, 12);
  EXPECT_EQ(fits.messages, proven(Collective::allreduce, "bcube:radix=4", 12, 12).messages);
}

TEST(Pat, AMessageHoldsNoMoreBlocksThanTheAggregationAndEveryBlockComesOnce) {
  for (const int p : kMany)
    for (const int most : {0, 1, 2, 3, 8}) {
      std::set<int> come{0};  // as many ranks below
      for (const PatStep& step : pat_steps(p, most)) {
        int blocks = 0;
        for (int s = step.first; s < p; s += step.every, ++blocks) {
          EXPECT_TRUE(come.contains(s - step.away)) << p << " " << most << ": the sender has it";
          EXPECT_TRUE(come.insert(s).second) << p << " " << most;
        }
        EXPECT_GT(blocks, 0) << p << " " << most;
        if (most > 0) {
          EXPECT_LE(blocks, most) << p;
        }
      }
      EXPECT_EQ(come.size(), static_cast<std::size_t>(p)) << most;
    }
  EXPECT_EQ(pat_steps(128, 0).size(), 7u);
  EXPECT_EQ(pat_steps(128, 8).size(), 3u + 15u);
  EXPECT_EQ(pat_steps(100, 1).size(), 99u);
}

/// How far apart two ranks are along one dimension of a torus, which must be the only one in which they differ.
int hops(int a, int b, const std::vector<int>& lengths) {
  int apart = 0, differing = 0;
  for (const int length : lengths) {
    const int way = (b % length - a % length + length) % length, shorter = std::min(way, length - way);
    apart += shorter;
    differing += shorter > 0;
    a /= length;
    b /= length;
  }
  EXPECT_EQ(differing, 1);
  return apart;
}

TEST(Swing, MeetsRanksThatAreOneOneThreeAndFiveHopsAwayInEachDimensionInTurn) {
  struct Torus {
    std::vector<int> lengths, hops;
  };
  for (const Torus& torus : {Torus{{64}, {1, 1, 3, 5, 11, 21}}, Torus{{8, 8}, {1, 1, 1, 1, 3, 3}},
                             Torus{{8, 4}, {1, 1, 1, 1, 3}}, Torus{{4, 4, 4}, {1, 1, 1, 1, 1, 1}}}) {
    const auto dimensions = static_cast<int>(torus.lengths.size());
    const int size = std::accumulate(torus.lengths.begin(), torus.lengths.end(), 1, std::multiplies<>());
    for (int part = 0; part < 2 * dimensions; ++part)
      for (Rank rank = 0; rank < size; ++rank) {
        const SwingPart of{part % dimensions, part >= dimensions};
        const auto steps = swing_steps(size, rank, dimensions, of);
        ASSERT_EQ(steps.size(), torus.hops.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
          if (part % dimensions == 0) {
            EXPECT_EQ(hops(rank, steps[i].peer, torus.lengths), torus.hops[i]) << rank << " step " << i;
          }
          const auto theirs = swing_steps(size, steps[i].peer, dimensions, of);
          EXPECT_EQ(theirs[i].peer, rank);
          EXPECT_NE(theirs[i].keeps_upper, steps[i].keeps_upper);
        }
      }
  }
}

TEST(Swing, BothWaysUseEveryCableOfARankInTheFirstStep) {
  for (Rank rank = 0; rank < 512; ++rank) {
    std::set<Rank> met;
    for (int part = 0; part < 6; ++part) met.insert(swing_steps(512, rank, 3, {part % 3, part >= 3}).front().peer);
    EXPECT_EQ(met.size(), 6u) << rank;
  }
}

TEST(Swing, OfAnyEvenNumberEveryBlockComesOnceAndFromWhoHasIt) {
  for (const int size : {2, 6, 12, 36, 74, 100, 126, 216})
    for (const int dimensions : {1, 2, 3})
      for (int part = 0; part < 2 * dimensions; ++part) {
        const SwingPart of{part % dimensions, part >= dimensions};
        std::vector<std::vector<SwingBlocks>> ranks;
        ranks.reserve(static_cast<std::size_t>(size));
        for (Rank rank = 0; rank < size; ++rank) ranks.push_back(swing_blocks(size, rank, dimensions, of));
        std::vector<std::set<Rank>> held;
        held.reserve(static_cast<std::size_t>(size));
        for (Rank rank = 0; rank < size; ++rank) held.push_back({rank});
        const auto steps = static_cast<std::size_t>(swing_step_count(size, dimensions));
        for (std::size_t step = steps; step-- > 0;) {  // the allgather
          const std::vector<std::set<Rank>> before = held;
          for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            ASSERT_EQ(ranks[rank].size(), steps);
            const SwingBlocks& here = ranks[rank][step];
            const auto peer = static_cast<std::size_t>(here.peer);
            ASSERT_EQ(ranks[peer][step].peer, static_cast<Rank>(rank)) << size;
            for (const BlockRun& run : here.given)
              for (Rank block = run.first; block < run.first + run.blocks; ++block) {
                ASSERT_TRUE(before[peer].contains(block)) << size << " rank " << rank << " block " << block;
                ASSERT_TRUE(held[rank].insert(block).second) << size << " rank " << rank << " block " << block;
              }
          }
        }
        for (const std::set<Rank>& all : held) ASSERT_EQ(all.size(), static_cast<std::size_t>(size));
      }
  EXPECT_EQ(swing_step_count(36, 1), 6);
  EXPECT_EQ(swing_step_count(36, 2), 3 + 3) << "6 x 6";
  EXPECT_EQ(swing_step_count(216, 3), 3 + 3 + 3);
  EXPECT_EQ(swing_step_count(74, 2), swing_step_count(74, 1)) << "no product of two even numbers";
}

TEST(Swing, SendsEachByteTwiceAtMostAtAnyNumberOfRanks) {
  const auto expect = [](const char* text, int p, int dimensions, int parts) {
    const Execution execution = proven(Collective::allreduce, text, p, p + 1, parts);
    EXPECT_EQ(execution.elements_sent, std::int64_t{2} * (p - 1) * (p + 1)) << text << " p=" << p;
    const int core = p - p % 2, steps = swing_step_count(core, dimensions);
    EXPECT_EQ(execution.messages, 2 * parts * (core * steps + (p % 2 == 0 ? 0 : 2 * core))) << text << " p=" << p;
    if (p % 2 == 0) {
      EXPECT_EQ(execution.rounds, 2 * steps) << text << " p=" << p;
    }
  };
  for (const int p : {2, 3, 9, 10, 64, 81, 100, 127, 128, 129}) expect("swing_packed", p, 1, 1);
  for (const int p : {3, 10, 36, 37}) expect("swing_packed:dimensions=2:both_ways=1", p, 2, 4);
}

void expect_two_trees(int p, TwoTrees which) {
  int latest = 0, ends = 0;
  for (int v = 0; v < p; ++v) {
    const TwoTreePlace place = two_tree_place(p, v, which);
    ends += 2 - static_cast<int>(place.parents.size());
    ASSERT_LE(place.children.size(), 2u) << v << " of " << p;
    for (const auto* edges : {&place.parents, &place.children}) {
      if (edges->size() < 2) continue;
      ASSERT_NE((*edges)[0].first % 2, (*edges)[1].first % 2) << v << " of " << p;
      if (!place.parents.empty() && edges == &place.children) {
        ASSERT_EQ((*edges)[0].tree, (*edges)[1].tree) << v << " of " << p;
      }
    }
    for (const TwoTreeEdge& child : place.children)
      for (const TwoTreeEdge& parent : place.parents)
        if (child.tree == parent.tree) {
          ASSERT_GT(child.first, parent.first) << v << " of " << p;
        }
    for (const TwoTreeEdge& parent : place.parents) latest = std::max(latest, parent.first);
  }
  EXPECT_EQ(ends, 2) << p;
  EXPECT_LE(latest + 1, 2 * logarithm(p, 2)) << p;  // steps until all have the first segment of both trees
}

TEST(TwoTree, EveryRankIsALeafOfOneTreeAndNeverSendsOrTakesInTwiceInAStep) {
  for (int p = 2; p <= 300; ++p)
    for (const TwoTrees which : {TwoTrees::of_root, TwoTrees::in_order}) expect_two_trees(p, which);
}

TEST(TwoTree, KeepsOperandsInOrderAtAnyNumberOfRanksWhereverTheRootIs) {
  proof::Executor executor;
  for (const int p : kMany)
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
      const Case c{collective, p, 7, 4, collective == Collective::reduce ? p / 3 : 0, false, Operator::user};
      const auto fault = prove(executor, parse_choice(collective, "two_tree:segment=4"), c);
      EXPECT_FALSE(fault) << p << ": " << fault->text;
    }
}

TEST(TwoTree, InOrderTakesNoMoreRoundsThanTheTreesOfARoot) {
  for (const int p : kMany) {
    const std::int64_t of_root = proven(Collective::bcast, "two_tree:segment=4", p, 240).rounds;
    EXPECT_LE(proven(Collective::allreduce, "two_tree:segment=4", p, 60).rounds, 2 * of_root + 2) << p;
  }
}

TEST(TwoTree, ManySegmentsTakeTwoRoundsEachAndTheDepth) {
  for (const int p : kMany) {
    const Execution execution = proven(Collective::bcast, "two_tree:segment=1", p, 60);
    EXPECT_EQ(execution.messages, (p - 1) * 60) << p;
    EXPECT_LE(execution.rounds, 2 * logarithm(p, 2) + 60) << p;
    EXPECT_GE(execution.rounds, 60) << p;
  }
}

/// What is declared beyond the segments that the declaration itself follows is what runs.
TEST(TwoTree, AndDualRootDeclareTheRoundsOfLongVectors) {
  proof::Executor executor;
  for (const char* text : {"two_tree:segment=4", "dual_root:segment=4"})
    for (const int p : {2, 3, 4, 5, 6, 7, 11, 16, 23, 64, 100})
      for (const Count count : {61, 90, 143}) {
        const Case c{Collective::allreduce, p, count, 4, 0, false, Operator::sum};
        const auto fault = prove(executor, parse_choice(Collective::allreduce, text), c);
        EXPECT_FALSE(fault) << text << " p=" << p << " count=" << count << ": " << fault->text;
      }
}

TEST(DualRoot, TakesThreeRoundsASegmentAndKeepsOrder) {
  for (const int p : {8, 9, 64, 100, 127, 129}) {
    const Execution execution = proven(Collective::allreduce, "dual_root:segment=4", p, 50);
    EXPECT_EQ(execution.messages, 2 * (p - 1) * 50) << p;
    EXPECT_LE(execution.rounds, 3 * 50 + 6 * logarithm(p, 2)) << p;
  }
}

}  // namespace
}  // namespace tutti
