#include "algos/patterns/block_copies.hpp"

namespace tutti {
namespace {

/// `copy(by rank, in the order)` posts one.
template <class Copy>
std::vector<Op> copy_spaced(const std::vector<Rank>& order, const Blocks& blocks, const View& by_rank,
                            const View& in_order, Copy copy) {
  std::vector<Op> copies;
  Count at = 0;
  if (blocks.firsts) {
    for (std::size_t i = 0, next = 0; i < order.size(); i = next) {
      for (next = i + 1; next < order.size() && order[next] == order[next - 1] + 1;) ++next;
      const View there = blocks.of(by_rank, order[i], static_cast<int>(next - i));
      copies.push_back(copy(there, in_order.slice(at, there.elements())));
      at += there.elements();
    }
    return copies;
  }
  for (const SpacedRanks& spaced : spaced_ranks(order, blocks)) {
    const Count elements = spaced.ranks * spaced.each;
    copies.push_back(copy(spaced.blocks_of(by_rank, blocks), in_order.slice(at, elements)));
    at += elements;
  }
  return copies;
}

}  // namespace

std::vector<SpacedRanks> spaced_ranks(const std::vector<Rank>& order, const Blocks& blocks) {
  std::vector<SpacedRanks> all;
  for (std::size_t i = 0; i < order.size();) {
    SpacedRanks here{i, 1, order[i], 1, blocks.count(order[i])};
    const int apart = i + 1 < order.size() ? order[i + 1] - order[i] : 0;
    // Of one size, for a part of the blocks may be larger: then all between are, too.
    const auto follows = [&](std::size_t j) {
      return apart > 0 && order[j] - order[j - 1] == apart && !blocks.firsts && blocks.count(order[j]) == here.each;
    };
    while (++i < order.size() && follows(i)) ++here.ranks;
    if (here.ranks > 1) here.apart = apart;
    all.push_back(here);
  }
  return all;
}

std::vector<Op> copy_into_order(const Comm& comm, const std::vector<Rank>& order, const Blocks& blocks,
                                const View& in_order, const View& by_rank) {
  return copy_spaced(order, blocks, by_rank, in_order,
                     [&](const View& block, const View& there) { return comm.copy(there, block); });
}

std::vector<Op> copy_out_of_order(const Comm& comm, const std::vector<Rank>& order, const Blocks& blocks,
                                  const View& by_rank, const View& in_order) {
  return copy_spaced(order, blocks, by_rank, in_order,
                     [&](const View& block, const View& there) { return comm.copy(block, there); });
}

}  // namespace tutti
