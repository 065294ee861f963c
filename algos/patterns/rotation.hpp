#pragma once

#include <array>
#include <vector>

#include "algos/blocks.hpp"
#include "algos/patterns/block_copies.hpp"

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

/// Posts what brings blocks in the order of ranks to the rotated order of `to`.
inline std::array<Op, 2> rotate(const Comm& comm, const Rotation& rotated, const View& to, const View& from) {
  const int before = rotated.own, others = rotated.blocks.parts - before;
  return {comm.copy(rotated.of(to, 0, others), rotated.blocks.of(from, before, others)),
          comm.copy(rotated.of(to, others, before), rotated.blocks.of(from, 0, before))};
}
/// Posts what brings blocks that have moved on, the i-th by i ranks, to the order of the ranks that they are from.
inline std::vector<Op> place_moved(const Comm& comm, const Rotation& rotated, const View& to, const View& from) {
  const int size = rotated.blocks.parts;
  return copy_blocks(
      comm, size, [&](int i) { return rotated.blocks.of(to, (rotated.own - i + size) % size); },
      [&](int i) { return rotated.blocks.of(from, i); });
}

}  // namespace tutti
