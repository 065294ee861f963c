#pragma once

#include "algos/view.hpp"

namespace tutti {

/// How a vector is divided among ranks: block i starts at first(i) and has count(i) elements, and the next one follows.
/// Regular blocks cost no memory; irregular ones (v-collectives) refer to the caller's array, which must outlive the
/// call.
struct Blocks {
  int parts = 1;
  int larger = 0;                 // the first so many blocks have one element more …
  Count base = 0;                 // … than that
  const Count* firsts = nullptr;  // irregular: where each of `parts` starts, and the last ends

  static constexpr Blocks regular(int parts, Count each) { return {parts, 0, each, nullptr}; }
  /// `total` elements in `parts` blocks whose sizes differ by at most one, the larger ones first.
  static constexpr Blocks split(Count total, int parts) {
    return {parts, static_cast<int>(total % parts), total / parts, nullptr};
  }

  constexpr Count count(int i) const { return firsts ? firsts[i + 1] - firsts[i] : base + (i < larger ? 1 : 0); }
  constexpr Count first(int i) const { return firsts ? firsts[i] : i * base + (i < larger ? i : larger); }
  /// The block that holds an element of them.
  constexpr int holding(Count element) const {
    int low = 0, high = parts - 1;  // of several that begin there, all but the last are empty
    while (low < high) {
      const int middle = low + (high - low + 1) / 2;
      if (first(middle) <= element)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  constexpr Count total() const { return first(parts); }
  constexpr Count largest() const {
    if (!firsts) return base + (larger > 0 ? 1 : 0);
    Count most = 0;
    for (int i = 0; i < parts; ++i) most = count(i) > most ? count(i) : most;
    return most;
  }

  /// Block i of a buffer laid out in these blocks.
  constexpr View of(const View& buffer, int i) const { return buffer.slice(first(i), count(i)); }
  /// `n` consecutive blocks from block i on.
  constexpr View of(const View& buffer, int i, int n) const {
    return n <= 0 ? buffer.slice(0, 0) : buffer.slice(first(i), first(i + n) - first(i));
  }
};

}  // namespace tutti
