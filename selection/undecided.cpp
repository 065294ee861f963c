#include "selection/undecided.hpp"

#include <algorithm>

#include "base/counted.hpp"
#include "selection/simulations.hpp"

namespace tutti {

void note_undecided(SearchResult& result, const std::vector<Choice>& candidates, double tolerance) {
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    Cell& cell = result.cells[i];
    if (cell.seconds.empty()) continue;
    const auto best = std::min_element(cell.seconds.begin(), cell.seconds.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto between = cell.between_seconds.find(best->first);
    const double at_most = between == cell.between_seconds.end() ? best->second : between->second.second;
    for (std::size_t a = 0; a < candidates.size(); ++a) {
      const Estimate& known = result.estimates[a][i];
      if (!known.real.algorithm || known.ruled_out) continue;
      const double least = known.seconds.lower == kRefused ? known.lower_bound_seconds : known.seconds.lower;
      if (least * (1 + tolerance) >= at_most) continue;
      if (const std::string name = candidates[a].text(); name != best->first) cell.undecided.insert(name);
    }
  }
}

std::string undecided_text(std::size_t cells) {
  if (cells == 0) return "";
  return counted(cells, "cell") + (cells == 1 ? " is" : " are") +
         " not decided: something else may be faster there than the table's best";
}

}  // namespace tutti
