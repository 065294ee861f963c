#pragma once

#include "algos/blocks.hpp"

namespace tutti {

/// The blocks of all ranks as Bruck's algorithms keep them: a rank's own block first, then those of the ranks that
/// follow it, around the end. Quantities in elements.
struct Rotation {
  Blocks blocks;
  Rank own = 0;

  /// Where the i-th of the rotated blocks begins, i = 0..parts; the last is the size of all.
  constexpr Count first(int i) const {
    const int at = own + i;
    return (at < blocks.parts ? blocks.first(at) : blocks.total() + blocks.first(at - blocks.parts)) -
           blocks.first(own);
  }
  /// `n` rotated blocks from the i-th on, of a buffer that keeps them in this order.
  constexpr View of(const View& buffer, int i, int n) const { return buffer.slice(first(i), first(i + n) - first(i)); }
};

}  // namespace tutti
