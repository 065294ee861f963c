#pragma once

#include <algorithm>
#include <cstdint>

#include "algos/view.hpp"

namespace tutti {

/// Who exchanges with whom in a recursive exchange of radix k among any number of ranks: the largest power of k of them
/// are active and go by an index 0..active-1; in phase j those exchange whose indices differ in digit j (base k) alone.
/// Every other rank is folded: its data join those of the next active rank above it, so that an index stands for
/// consecutive ranks and order is kept. The active ranks among the first ones are the last of each k.
struct RecursiveExchange {
  int radix, active = 1, phases = 0, folded;

  /// With fewer than k ranks the radix is their number, at least 2.
  RecursiveExchange(int ranks, int k) : radix(std::max(2, std::min(k, ranks))) {
    for (; active <= ranks / radix; active *= radix) ++phases;
    folded = ranks - active;
  }

  /// The index that the rank's data join; its own if it is active.
  int index(Rank rank) const {
    const bool among_folded = rank < std::int64_t{folded} * radix / (radix - 1);
    return among_folded ? rank / radix : rank - folded;
  }
  /// The active rank of an index, the last one that it stands for; -1 of -1.
  Rank rank(int index) const { return index < folded / (radix - 1) ? index * radix + radix - 1 : index + folded; }
  bool is_active(Rank r) const { return rank(index(r)) == r; }
  /// The first rank that an index stands for.
  Rank first(int index) const { return rank(index - 1) + 1; }
  /// The place value of a phase's digit.
  int power(int phase) const {
    int power = 1;
    for (; phase > 0; --phase) power *= radix;
    return power;
  }
  /// The index whose digits are those of `index` in reverse.
  int reversed(int index) const {
    int result = 0;
    for (int phase = 0; phase < phases; ++phase, index /= radix) result = result * radix + index % radix;
    return result;
  }
};

}  // namespace tutti
