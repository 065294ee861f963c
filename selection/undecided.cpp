#include "selection/undecided.hpp"

#include <algorithm>

namespace tutti {

void note_undecided(Found& found, const std::vector<Choice>& candidates, double tolerance) {
  for (std::size_t i = 0; i < found.cells.size(); ++i) {
    Cell& cell = found.cells[i];
    if (cell.seconds.empty()) continue;
    const auto best = std::min_element(cell.seconds.begin(), cell.seconds.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto between = cell.between_seconds.find(best->first);
    const double at_most = between == cell.between_seconds.end() ? best->second : between->second.second;
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      const Knowledge& known = found.known[a][i];
      if (!known.real.algorithm || known.set_aside) continue;
      const double least = known.seconds.lower == kRefused ? known.least_seconds : known.seconds.lower;
      if (least * (1 + tolerance) >= at_most) continue;
      if (const std::string name = candidates[a].text(); name != best->first) cell.undecided.insert(name);
    }
  }
}

}  // namespace tutti
