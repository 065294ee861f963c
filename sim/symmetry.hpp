#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "algos/view.hpp"
#include "topologies/link.hpp"

namespace tutti {

/// Things in blocks of equal size, and moves that exchange whole blocks: by a sum modulo the number of blocks, or by
/// exclusive or (then that number is a power of two). Any block can be moved onto any other in exactly one way.
struct BlockMoves {
  enum class Kind : std::uint8_t { cyclic, exclusive_or };
  Kind kind = Kind::cyclic;
  int size = std::numeric_limits<int>::max();  // of a block; by default everything is in one
  int blocks = 1;

  /// Where `what` is after the move that takes block `block` to block 0.
  int moved_back(int what, int block) const {
    if (kind == Kind::exclusive_or) return ((what / size) ^ block) * size + what % size;
    const int back = what - block * size;
    return back < 0 ? back + blocks * size : back;
  }
  /// Where `what` is after the move that takes block 0 to block `block`.
  int moved(int what, int block) const {
    return moved_back(what, kind == Kind::exclusive_or || block == 0 ? block : blocks - block);
  }
};

/// Ranks that do the same at the same time, since they run the same algorithm at places that the machine treats alike:
/// if all ranks move by a block, every message goes the way that another one went, over links of the same figures. So
/// the ranks of block 0 stand for all, and the links of one class share what comes to each of them.
struct Symmetry {
  BlockMoves ranks;
  std::vector<LinkId> stands_for;  // by link: the first one of its class; empty: each for itself

  bool is_trivial() const { return ranks.blocks == 1; }
  /// How many of so many ranks are to be simulated.
  int simulated(int all) const { return is_trivial() ? all : ranks.size; }
  /// The same message (from, to), moved so that its receiver is one of those.
  std::pair<Rank, Rank> as_received(Rank from, Rank to) const {
    if (to < ranks.size) return {from, to};
    const int block = to / ranks.size;
    return {ranks.moved_back(from, block), to - block * ranks.size};
  }
  /// And so that its sender is.
  std::pair<Rank, Rank> as_sent(Rank from, Rank to) const {
    if (from < ranks.size) return {from, to};
    const int block = from / ranks.size;
    return {from - block * ranks.size, ranks.moved_back(to, block)};
  }
};

}  // namespace tutti
