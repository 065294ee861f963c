#pragma once

#include "algos/call.hpp"
#include "algos/registry.hpp"

namespace tutti {

/// A vector cut into one block for each of `ranks` virtual ranks (the root is 0): ceil(elements / ranks) elements each,
/// so that the last blocks may be shorter or empty.
struct CeilingBlocks {
  Count elements, each;

  CeilingBlocks(Count vector, int ranks) : elements(vector), each((vector + ranks - 1) / ranks) {}

  Count first(int block) const { return std::min(block * each, elements); }
  /// Elements in `blocks` consecutive blocks.
  Count count(int block, int blocks) const { return first(block + blocks) - first(block); }
  View of(const View& vector, int block, int blocks = 1) const {
    return vector.slice(first(block), count(block, blocks));
  }
};

/// The first half of a broadcast by scatter and allgather: binomial scatter of `call.out` from the root, in place. Then
/// virtual rank v has the blocks of its binomial subtree (binomial.hpp). Subtrees without elements are not sent to.
Task scatter_for_bcast(Comm comm, Call call);

/// Messages and bytes of the scatter of one element or more. Every block travels as many hops as its virtual rank has
/// bits set.
double scatter_for_bcast_messages(const Facts& facts);
double scatter_for_bcast_bytes(const Facts& facts);
/// Its rounds: those of a binomial tree of the ranks that have elements.
double scatter_for_bcast_rounds(const Facts& facts);
/// The round at whose end each virtual rank has sent on what it received.
std::vector<int> scatter_for_bcast_ends(const Facts& facts);

}  // namespace tutti
