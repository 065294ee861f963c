#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algos/task.hpp"

namespace tutti {

/// Who exchanges with whom in a recursive exchange of radix k among any number of ranks: the largest power of k of them
/// are active and go by an index 0..active-1; in phase j those exchange whose indices differ in digit j (base k) alone.
/// Every other rank is folded: its data join those of the next active rank above it, so that an index stands for
/// consecutive ranks and order is kept. The active ranks among the first ones are the last of each k.
struct RecursiveExchange {
  int radix, active = 1, phases = 0, folded;

  /// With fewer than k ranks the radix is their number, at least 2.
  RecursiveExchange(int ranks, std::int64_t k)
      : radix(static_cast<int>(std::max<std::int64_t>(2, std::min<std::int64_t>(k, ranks)))) {
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
  int digit(int index, int phase) const { return index / power(phase) % radix; }
  /// The i-th, in rank order, of the radix-1 other indices that one meets in a phase.
  int met(int index, int phase, int i) const {
    const int own = digit(index, phase);
    return index + (i < own ? i - own : i + 1 - own) * power(phase);
  }
  /// The index whose digits are those of `index` in reverse.
  int reversed(int index) const {
    int result = 0;
    for (int phase = 0; phase < phases; ++phase, index /= radix) result = result * radix + index % radix;
    return result;
  }
  /// Of a vector with a block for each index, in the order of reversed indices (the last takes the remainder): those
  /// that an index has where `span` indices have the same.
  View reversed_blocks(const View& vector, int index, int span) const {
    const Count each = vector.elements() / active;
    const int low = reversed(index) / span * span;
    const Count end = low + span == active ? vector.elements() : (low + span) * each;
    return vector.slice(low * each, end - low * each);
  }
};

/// Posts what an index receives from all that it meets in a phase, then what it sends to them: the i-th of them has
/// `into(i)` and gets `what`.
template <class Into>
void exchange_in_phase(const Comm& comm, const RecursiveExchange& exchange, int index, int phase, std::vector<Op>& ops,
                       Into into, const View& what) {
  ops.clear();
  for (int i = 0; i + 1 < exchange.radix; ++i)
    ops.push_back(comm.recv(exchange.rank(exchange.met(index, phase, i)), into(i)));
  for (int i = 0; i + 1 < exchange.radix; ++i)
    ops.push_back(comm.send(exchange.rank(exchange.met(index, phase, i)), what));
}

// In formulas: the radix of an exchange of radix k, its phases, and how many ranks are active.
#define TUTTI_RADIX "max(2,min(k,p))"
#define TUTTI_PHASES "floor_log(p," TUTTI_RADIX ")"
#define TUTTI_ACTIVE "pow(" TUTTI_RADIX "," TUTTI_PHASES ")"

}  // namespace tutti
