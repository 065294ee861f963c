#include "selection/defaults.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "selection/simulations.hpp"

namespace tutti {
namespace {

/// The candidate that is what the library runs, if there is one.
std::optional<std::size_t> candidate_of(const Baseline& library, const SearchResult& result, std::size_t i) {
  const Case c = case_for(result.place, result.cells[i].bytes);
  const std::optional<BaselinePick> picked = pick_if_ours(library, c, result.place.on_nodes());
  if (!picked) return std::nullopt;
  const Choice real = normalized(picked->choice, c);
  for (std::size_t a = 0; a < result.estimates.size(); ++a)
    if (result.estimates[a][i].real == real) return a;
  return std::nullopt;
}

}  // namespace

void note_defaults(SearchResult& result, const std::vector<Choice>& candidates,
                   const std::vector<const Baseline*>& libraries, bool priced) {
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    Cell& cell = result.cells[i];
    const double best = best_seconds(cell);
    for (const Baseline* library : libraries) {
      const auto a = candidate_of(*library, result, i);
      const auto time = a ? cell.seconds.find(candidates[*a].text()) : cell.seconds.end();
      if (priced) {
        if (time != cell.seconds.end()) cell.default_seconds[library->name] = time->second;
        continue;
      }
      if (!a) continue;  // only these algorithms were asked for, and it is none of them
      double least = time == cell.seconds.end() ? kRefused : time->second;
      if (time == cell.seconds.end() || cell.inferred.contains(time->first))
        least = std::min(least, std::max(best, result.estimates[*a][i].seconds.lower));
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
