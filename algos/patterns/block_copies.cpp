#include "algos/patterns/block_copies.hpp"

namespace tutti {

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

}  // namespace tutti
