#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "algos/view.hpp"
#include "topologies/link.hpp"

namespace tutti {

/// Things in blocks of equal size, and moves that exchange them: any block can be moved onto any other in exactly one
/// way, and what is in block 0 can stand for all.
struct BlockMoves {
  enum class Kind : std::uint8_t {
    cyclic,            // on by a number of blocks, behind the last one comes the first
    exclusive_or,      // of the block's number with another; there is a power of two of them
    even_exclusive_or  // of the number of the half block with one that has an even number of ones in binary
  };
  Kind kind = Kind::cyclic;
  int size = std::numeric_limits<int>::max();  // of a block; by default everything is in one
  int blocks = 1;

  /// Where `what` is after the move that takes block `block` to block 0.
  int moved_back(int what, int block) const {
    switch (kind) {
      case Kind::cyclic:
        what -= block * size;
        return what < 0 ? what + blocks * size : what;
      case Kind::exclusive_or:
        return (what / size ^ block) * size + what % size;
      case Kind::even_exclusive_or:
        break;
    }
    const int half = size / 2, ones = std::popcount(static_cast<unsigned>(block));
    return (what / half ^ (2 * block + ones % 2)) * half + what % half;
  }
  /// Where `what` is after the move that takes block 0 to block `block`.
  int moved(int what, int block) const {
    return moved_back(what, kind == Kind::cyclic && block > 0 ? blocks - block : block);
  }
  /// What stands for it.
  int representative(int what) const { return what < size ? what : moved_back(what, what / size); }
  /// The move from block 0 to `a`, and then that from block 0 to `b`, take it to …
  int after_both(int a, int b) const { return kind == Kind::cyclic ? (a + b) % blocks : a ^ b; }
};

/// Ranks that do the same at the same time, since they run the same algorithm at places that the machine treats alike:
/// if all ranks move, every message goes the way that another one went, over links of the same figures. So the ranks
/// of block 0 stand for all, and the links of one class share what comes to each of them.
struct Symmetry {
  BlockMoves ranks;
  std::vector<LinkId> stands_for;  // by link: the first one of its class; empty: each for itself

  bool is_trivial() const { return ranks.blocks == 1; }
  /// How many of so many ranks are to be simulated.
  int simulated(int all) const { return is_trivial() ? all : ranks.size; }
  /// The same message (from, to), moved so that its receiver is one of those.
  std::pair<Rank, Rank> as_received(Rank from, Rank to) const { return moved_back(from, to, to); }
  /// And so that its sender is.
  std::pair<Rank, Rank> as_sent(Rank from, Rank to) const { return moved_back(from, to, from); }

 private:
  std::pair<Rank, Rank> moved_back(Rank from, Rank to, Rank fixed) const {
    if (fixed < ranks.size) return {from, to};
    const int block = fixed / ranks.size;
    return {ranks.moved_back(from, block), ranks.moved_back(to, block)};
  }
};

}  // namespace tutti
