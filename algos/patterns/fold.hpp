#pragma once

#include <bit>

#include "algos/blocks.hpp"
#include "algos/task.hpp"

namespace tutti {

/// Any number of ranks folded to the largest power of two not above it (the core): of the first 2·extra ranks,
/// neighbours (2i, 2i+1) form a pair of which one, the keeper, takes part for both. The core is numbered 0 … core-1 in
/// rank order, so that the operands of a non-commutative operator stay in order.
struct Fold {
  int ranks, core, extra;
  int keeper = 1;  // which of a pair takes part: 1 the odd rank, 0 the even one

  explicit constexpr Fold(int size, int keeper_of_pair = 1)
      : ranks(size),
        core(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
        extra(size - core),
        keeper(keeper_of_pair) {}

  constexpr bool paired(Rank rank) const { return rank < 2 * extra; }
  /// The other one of the pair.
  constexpr Rank partner(Rank rank) const { return rank ^ 1; }
  constexpr bool takes_part(Rank rank) const { return !paired(rank) || rank % 2 == keeper; }
  /// Number in the core of a rank that takes part, and the rank that has a number.
  constexpr int core_number(Rank rank) const { return paired(rank) ? rank / 2 : rank - extra; }
  constexpr Rank rank_of(int number) const { return number < extra ? 2 * number + keeper : number + extra; }
  /// The first rank for which a number of the core stands; number `core` gives the number of ranks.
  constexpr Rank first_of(int number) const { return number < extra ? 2 * number : number + extra; }
  /// The blocks of the ranks for which `n` numbers from `number` on stand.
  constexpr View blocks_of(const Blocks& blocks, const View& buffer, int number, int n) const {
    const Rank first = first_of(number);
    return blocks.of(buffer, first, first_of(number + n) - first);
  }
};

/// Who takes no part hands `vector` to its partner (the odd one of the pair), which combines it with its own in rank
/// order; it comes to `inbox`. Every rank of the communicator calls it.
Task fold_in(Comm comm, Fold fold, View vector, View inbox);

}  // namespace tutti
