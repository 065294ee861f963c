#include "algos/patterns/round_clock.hpp"

#include "algos/patterns/tree.hpp"

namespace tutti {

std::vector<int> halving_bcast_ends(int size, int start) {
  std::vector<int> ends(static_cast<std::size_t>(size), start);
  for (int v = 0; v < size; ++v)  // a parent comes before its children; ends[v] is still when v got it
    for (const Rank child : knomial_tree(size, v, 2).children) ends[child] = ++ends[v];
  return ends;
}

}  // namespace tutti
