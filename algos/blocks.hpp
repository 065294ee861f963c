#pragma once

#include "algos/view.hpp"

namespace tutti {

/// How a vector is divided among ranks: block i starts at first(i) and has count(i) elements. Regular blocks cost no
/// memory; irregular ones (v-collectives) refer to the caller's arrays, which must outlive the call and be dense:
/// each block follows the one before.
struct Blocks {
  int parts = 1;
  Count base = 0;                 // every block's size …
  int larger = 0;                 // … and the first `larger` blocks have one element more
  const Count* counts = nullptr;  // irregular: `parts` sizes,
  const Count* firsts = nullptr;  // and `parts` starts

  static constexpr Blocks regular(int parts, Count each) { return {parts, each, 0, nullptr, nullptr}; }
  /// `total` elements in `parts` blocks whose sizes differ by at most one, the larger ones first.
  static constexpr Blocks split(Count total, int parts) {
    return {parts, total / parts, static_cast<int>(total % parts), nullptr, nullptr};
  }

  constexpr Count count(int i) const { return counts ? counts[i] : base + (i < larger ? 1 : 0); }
  constexpr Count first(int i) const { return firsts ? firsts[i] : i * base + (i < larger ? i : larger); }
  constexpr Count total() const { return parts == 0 ? 0 : first(parts - 1) + count(parts - 1); }
  constexpr Count largest() const {
    if (!counts) return base + (larger > 0 ? 1 : 0);
    Count most = 0;
    for (int i = 0; i < parts; ++i) most = counts[i] > most ? counts[i] : most;
    return most;
  }

  /// Block i of a buffer laid out in these blocks.
  constexpr View of(const View& buffer, int i) const { return buffer.slice(first(i), count(i)); }
  /// `n` consecutive blocks from block i on.
  constexpr View of(const View& buffer, int i, int n) const {
    return n <= 0 ? buffer.slice(0, 0) : buffer.slice(first(i), first(i + n - 1) + count(i + n - 1) - first(i));
  }
};

}  // namespace tutti
