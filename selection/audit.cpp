#include "selection/audit.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "selection/candidates.hpp"
#include "selection/offers.hpp"
#include "selection/own_parts.hpp"
#include "selection/pricing.hpp"
#include "selection/unknown.hpp"

namespace tutti {

std::optional<double> AuditedCell::times_as_long() const {
  return is_known() ? ratio_of_times(seconds, best_seconds) : std::nullopt;
}

std::vector<AuditedCell> audit(const Table& table, const TuningFile& file, const Baseline* library) {
  std::vector<AuditedCell> cells;
  for (const Cell& cell : table.cells) {
    AuditedCell audited;
    audited.cell = &cell;
    if (library && !own_is_inferred(cell, *library)) audited.own_seconds = own_seconds(cell, *library);
    audited.best_seconds = std::min(best_seconds(cell), audited.own_seconds.value_or(kUnknown));
    audited.seconds = audited.own_seconds.value_or(kUnknown);
    const Case c = case_for(cell.place, cell.bytes);
    if (const auto picked = library ? pick_if_ours(*library, c, cell.place.on_nodes()) : std::nullopt)
      audited.own = picked->choice.text();
    Explanation why;
    if (const auto choice = choice_under(file, c, cell.place.on_nodes(), library, &why)) {
      audited.is_rough =
          std::any_of(why.parts.begin(), why.parts.end(), [](const auto& part) { return !part.is_exact; });
      const auto found = find_seconds(cell, *choice);
      audited.says = choice->text();
      const bool is_simulated = found != cell.seconds.end() && !cell.inferred.contains(found->first);
      audited.seconds = is_simulated ? found->second : kUnknown;
      audited.cannot_run = why_not(*choice, c);
    }
    cells.push_back(std::move(audited));
  }
  return cells;
}

std::size_t simulate_unknown(std::vector<AuditedCell>& cells, const Table& table, Simulations& simulations,
                             const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const auto time = [&](const Cell& cell, const Choice& choice) {
    if (!why_not(choice, case_for(cell.place, cell.bytes)).empty()) return kUnknown;
    return simulations.seconds(table.engine, {cell.place, cell.bytes, choice});
  };
  std::size_t simulated = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    AuditedCell& cell = cells[i];
    if (progress) progress(i, cells.size());
    if (!cell.own.empty() && !cell.own_seconds) {
      const double own = time(*cell.cell, parse_choice(cell.cell->place.collective, cell.own));
      if (own != kUnknown) cell.own_seconds = own, ++simulated;
    }
    if (cell.seconds == kUnknown && cell.says != kOwnChoice) {
      cell.seconds = time(*cell.cell, parse_choice(cell.cell->place.collective, cell.says));
      simulated += cell.seconds != kUnknown;
    } else if (cell.says == kOwnChoice && cell.own_seconds) {
      cell.seconds = *cell.own_seconds;
    }
    cell.best_seconds = std::min({cell.best_seconds, cell.seconds, cell.own_seconds.value_or(kUnknown)});
  }
  return simulated;
}

std::vector<Cliff> cliffs(const std::vector<AuditedCell>& cells, double least) {
  std::vector<Cliff> found;
  const auto compare = [&](const AuditedCell& here, const AuditedCell& there) {
    const std::optional<double> a = here.times_as_long(), b = there.times_as_long();
    if (here.is_rough || there.is_rough) return;
    if (a && b && std::max(*a / *b, *b / *a) >= least) found.push_back({&here, &there, std::max(*a / *b, *b / *a)});
  };
  std::map<std::tuple<Collective, int, std::int64_t>, const AuditedCell*> on_fewer_nodes;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Place& place = cells[i].cell->place;
    if (i > 0 && cells[i - 1].cell->place == place) compare(cells[i - 1], cells[i]);
    const AuditedCell*& before = on_fewer_nodes[{place.collective, place.ppn, cells[i].cell->bytes}];
    if (before) compare(*before, cells[i]);
    before = &cells[i];
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Cliff& a, const Cliff& b) { return a.steepness > b.steepness; });
  return found;
}

}  // namespace tutti
