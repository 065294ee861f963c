#pragma once

#include "selection/search_result.hpp"

namespace tutti {

/// More nodes may suit an algorithm better than its counts say: its time may fall to this part of it.
inline constexpr double kLessOnMoreNodes = 0.9;

/// Times on fewer ranks than this tell nothing of more ranks.
inline constexpr int kFewRanks = 32;

/// The factor by which the exact counts of the metadata (rounds, messages of a rank, bytes of a rank) grow: that of the
/// one that grows least.
double least_growth(const Counts& there, int ranks_there, const Counts& here, int ranks);

/// A lower bound of a choice's time, from its time on fewer nodes with as many ranks on each. 0, where that tells
/// nothing:
///   * no time is known there, or there are few ranks;
///   * another algorithm ran there;
///   * messages take another protocol there, as blocks become smaller with every rank, or may be lost;
///   * the number of ranks suits the algorithm better here: its counts fall, or it has to fold ranks there (no power of
///     two or of its radix) and none here;
///   * it goes by leaves or groups of the fabric, which may divide these nodes more evenly.
/// Else as many times that as its exact counts grow, but for kLessOnMoreNodes.
double lower_bound_by_fewer_nodes(const Estimate& there, int ranks_there, const Estimate& here, int ranks);

/// An estimate on so many ranks.
struct EstimateOnRanks {
  const Estimate& estimate;
  int ranks;
};

/// Between numbers of nodes no farther apart than this, of at least kFewRanks ranks, a time lies within so much of the
/// line between theirs, if the exact counts do (so nearly).
inline constexpr double kCloseNodes = 1.15, kOffTheLine = 0.05, kCountsOffTheLine = 0.02;

struct BetweenNodes {
  TimeBounds seconds;
  std::optional<double> likely_seconds;
};

/// What numbers of nodes on either side tell of a choice's time: nothing (0, infinity) where one of them does not, runs
/// another algorithm, has messages of another protocol, where messages may be lost, or one is of the other kind (folds
/// ranks, or does not).
BetweenNodes bounds_between(const EstimateOnRanks& fewer, const EstimateOnRanks& more, const EstimateOnRanks& here);

/// Whether two choices are taken to be the same here: on fewer nodes, with more than a few ranks, they took the very
/// same time, and here they declare the same counts. (Trees that differ in nothing but how they would cut messages,
/// where they cut none.) Where none fold there, and some do here, that tells nothing: they may fold others.
bool are_equivalent_by_fewer_nodes(const Estimate& a_there, const Estimate& b_there, int ranks_there, const Estimate& a,
                                   const Estimate& b, int ranks);

}  // namespace tutti
