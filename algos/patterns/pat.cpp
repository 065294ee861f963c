#include "algos/patterns/pat.hpp"

#include <algorithm>
#include <bit>

namespace tutti {

std::vector<PatStep> pat_steps(int size, std::int64_t most) {
  const auto all = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size)));
  const auto aggregated = static_cast<int>(std::min<std::int64_t>(all, most == 0 ? all : most));
  const int tree = all / static_cast<int>(std::bit_floor(static_cast<unsigned>(aggregated)));
  std::vector<PatStep> steps;
  for (int away = all / 2; away >= tree; away /= 2) steps.push_back({away, away, 2 * away});
  for (int s = 1; s < std::min(tree, size); ++s) steps.push_back({s & -s, s, tree});
  return steps;
}

}  // namespace tutti
