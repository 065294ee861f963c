#include "selection/defaults.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace tutti {
namespace {

/// The candidate that is what the library runs, if there is one.
std::optional<std::size_t> candidate_of(const Baseline& library, const Found& found, std::size_t i) {
  const Case c = case_for(found.place, found.cells[i].bytes);
  const Choice real = essence(pick(library, c, found.place.nodes).choice, c);
  for (std::size_t a = 0; a < found.known.size(); ++a)
    if (found.known[a][i].real == real) return a;
  return std::nullopt;
}

}  // namespace

void note_defaults(Found& found, const std::vector<Choice>& candidates, const std::vector<const Baseline*>& libraries,
                   bool priced) {
  for (std::size_t i = 0; i < found.cells.size(); ++i) {
    Cell& cell = found.cells[i];
    const double best = best_seconds(cell);
    for (const Baseline* library : libraries) {
      const auto a = candidate_of(*library, found, i);
      const auto time = a ? cell.seconds.find(candidates[*a].text()) : cell.seconds.end();
      if (priced) {
        if (time != cell.seconds.end()) cell.default_seconds[library->name] = time->second;
        continue;
      }
      if (!a) continue;  // only these algorithms were asked for, and it is none of them
      double least = time == cell.seconds.end() ? kRefused : time->second;
      if (time == cell.seconds.end() || cell.inferred.contains(time->first))
        least = std::min(least, std::max(best, found.known[*a][i].seconds.lower));
      cell.least_default_seconds = std::min(cell.least_default_seconds, least);
    }
  }
}

void expect_no_loss(const Table& table) {
  auto cell = table.cells.begin();
  for (const Rule& rule : table.rules) {
    while (cell != table.cells.end() && cell->place == rule.place && cell->bytes <= rule.to_bytes) {
      const double mine = cell->seconds.at(rule.algorithm);
      double least = cell->least_default_seconds;
      for (const auto& [library, seconds] : cell->default_seconds) least = std::min(least, seconds);
      if (mine > least)
        throw std::logic_error("the table would choose " + rule.algorithm + " for " +
                               std::string(name_of(cell->place.collective)) + " on " +
                               std::to_string(cell->place.nodes) + " x " + std::to_string(cell->place.ppn) + ", " +
                               std::to_string(cell->bytes) + " bytes, which is slower there than a library's default");
      ++cell;
    }
  }
  if (cell != table.cells.end()) throw std::logic_error("the table has cells that no rule serves");
}

}  // namespace tutti
