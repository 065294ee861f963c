#pragma once

#include <vector>

#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

// Reduce-scatter by recursive halving, and back: with each step the window of the vector that a rank still reduces
// halves. Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004.

/// A window in halves, the upper one longer by an element if need be: what the rank reduces from now on, and what it
/// leaves to its peer.
struct Halving {
  Rank peer;
  View kept, given;
};
Halving halve(const View& window, Rank peer, bool keeps_upper);

/// Whom a number of the core meets in a step, and which half it keeps; `nearest_first`: numbers 1, 2, 4 … apart.
struct HalvingStep {
  int peer;
  bool keeps_upper;
};
using HalvingOrder = HalvingStep (*)(int number, int step, int core);
HalvingStep nearest_first(int number, int step, int core);
std::vector<Halving> halvings(const Fold& fold, int number, const View& vector, HalvingOrder order = nearest_first);

/// Of a pair both combine one half, and the one that takes part, whose half is the lower one, then has both. For
/// commutative operators; `inbox` has room for half of the vector. Every rank of the communicator calls it.
Task fold_in_by_halves(Comm comm, Fold fold, View vector, View inbox);

/// Reduces `vector` of all ranks so that each that takes part is left with the last window of its steps, nearest first.
/// Ranks are folded by halves (fold.keeper is 0). For commutative operators; `inbox` is as long as the vector. Every
/// rank of the communicator calls it.
Task reduce_scatter_by_halving(Comm comm, Fold fold, View vector, View inbox);

/// The reduce-scatter of those who have steps, each half in segments (parameter `segment`), of which the next is
/// received while one is combined.
Task reduce_scatter_in_segments(Comm comm, Call call, std::vector<Halving> steps);

/// The steps backwards: windows that are complete grow to the whole vector.
Task allgather_by_doubling(Comm comm, std::vector<Halving> steps);

/// Rounds and messages of these two where all numbers begin together.
struct HalvingCounts {
  double rounds, messages;
};
HalvingCounts count_in_segments(const Facts& facts, int core, HalvingOrder order);

/// What a reduce-scatter takes that halves windows of whole blocks and sends no empty message.
double rounds_of_full_blocks(const Facts& facts);
double messages_of_full_blocks(const Facts& facts);
double bytes_of_full_blocks(const Facts& facts);

/// Elements that reduce_scatter_by_halving sends, of a vector of so many.
double scattered_by_halving(const Fold& fold, double elements);
/// Elements that are sent where a gather goes the steps backwards: of each window the half without `root` (a number of
/// the core).
double gathered_by_doubling(Count elements, int core, int root);

}  // namespace tutti
