#include "algos/patterns/dual_root.hpp"

#include <algorithm>
#include <cmath>

#include "algos/patterns/round_clock.hpp"
#include "algos/patterns/tree.hpp"

namespace tutti {

DualRootPlace dual_root_place(int size, Rank rank) {
  const int lower = (size + 1) / 2, first = rank < lower ? 0 : lower, ranks = rank < lower ? lower : size - lower;
  const Tree tree = rooted_at(first, size, in_order_binary_tree(ranks, rank - first));
  DualRootPlace place{tree.parent, -1, tree.children};
  if (tree.parent < 0 && size > 1) place.dual = rank < lower ? size - 1 : lower - 1;
  for (Rank up = tree.parent; up >= 0; up = rooted_at(first, size, in_order_binary_tree(ranks, up - first)).parent)
    ++place.depth;
  return place;
}

namespace {

int rounds_of(int size, Count n) {
  std::vector<DualRootPlace> places;
  int deepest = 0;
  for (Rank r = 0; r < size; ++r) {
    places.push_back(dual_root_place(size, r));
    deepest = std::max(deepest, places.back().depth);
  }
  RoundClock clock(std::vector<int>(places.size(), 0), false);
  for (Count i = 0; i < n + deepest + 1; ++i)
    for (std::size_t r = 0; r < places.size(); ++r) {  // children come before their parents
      for (const Rank child : places[r].children) {
        const auto below = static_cast<std::size_t>(child);
        const Count down = i - places[below].depth;
        if (i < n) clock.message(below, r);
        if (down >= 0 && down < n) clock.message(r, below);
        clock.wait(below, r);
      }
      const auto dual = static_cast<std::size_t>(places[r].dual);
      if (places[r].dual < 0 || dual > r || i >= n) continue;
      clock.exchange(r, dual);
      clock.wait(r, dual);
    }
  return *std::max_element(clock.reached().begin(), clock.reached().end());
}

}  // namespace

double dual_root_rounds(const Facts& f) {
  const auto size = static_cast<int>(f["p"]);
  if (size == 1) return 0;
  // Beyond so many segments, with which all ranks are at work, each takes as long as the one before.
  const double full = 4 + 2 * std::ceil(std::log2(f["p"])), more = std::max(0.0, f["segments"] - full);
  const auto few = static_cast<Count>(f["segments"] - more);
  const int time = rounds_of(size, few);
  return time + (more > 0 ? more * (rounds_of(size, few + 1) - time) : 0);
}

}  // namespace tutti
