#pragma once

#include <vector>

#include "algos/blocks.hpp"
#include "algos/task.hpp"

namespace tutti {

/// Posts the copies of so many blocks, `to(i)` from `from(i)`.
template <class To, class From>
std::vector<Op> copy_blocks(const Comm& comm, int blocks, To to, From from) {
  std::vector<Op> copies;
  for (int i = 0; i < blocks; ++i) copies.push_back(comm.copy(to(i), from(i)));
  return copies;
}

/// Ranks of an order that are equally far from each other, upwards, and whose blocks are of one size.
struct SpacedRanks {
  std::size_t first = 0;  // in the order
  int ranks = 0;
  Rank first_rank = 0;
  int apart = 1;
  Count each = 0;

  /// Their blocks in a buffer of the blocks of all, by rank.
  View blocks_of(const View& all, const Blocks& blocks) const {
    const View from_first = blocks.of(all, first_rank, (ranks - 1) * apart + 1);
    return each == 0 ? from_first.slice(0, 0) : from_first.every(0, each, apart * each);
  }
};
/// All of an order, as few as follow from taking as many as possible from the first on.
std::vector<SpacedRanks> spaced_ranks(const std::vector<Rank>& order, const Blocks& blocks);

// Posts copies between a buffer of the blocks of all ranks, by rank, and one of those of some in another order, one
// after the other: a copy for all ranks that are equally far apart, or, of irregular blocks, that follow each other.
std::vector<Op> copy_into_order(const Comm& comm, const std::vector<Rank>& order, const Blocks& blocks,
                                const View& in_order, const View& by_rank);
std::vector<Op> copy_out_of_order(const Comm& comm, const std::vector<Rank>& order, const Blocks& blocks,
                                  const View& by_rank, const View& in_order);

/// Posts op(run, its part of the message) for runs that lie one after the other in a message, into `ops` alone.
template <class Operation>
void post_for_runs(std::vector<Op>& ops, const std::vector<View>& runs, const View& message, Operation op) {
  Count at = 0;
  ops.clear();
  for (const View& run : runs) {
    ops.push_back(op(run, message.slice(at, run.elements())));
    at += run.elements();
  }
}
inline Count elements_of(const std::vector<View>& runs) {
  Count elements = 0;
  for (const View& run : runs) elements += run.elements();
  return elements;
}

}  // namespace tutti
