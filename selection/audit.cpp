#include "selection/audit.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/scattered.hpp"
#include "selection/candidates.hpp"
#include "selection/offers.hpp"
#include "selection/own_parts.hpp"
#include "selection/pricing.hpp"
#include "selection/unknown.hpp"

namespace tutti {
namespace {

/// What is not known of a cell.
struct Asked {
  std::optional<Query> own, says;
};

Asked asked_of(const AuditedCell& cell) {
  const auto query = [&](const std::string& choice) {
    const Place& place = cell.cell->place;
    return Query{place, cell.cell->bytes, parse_choice(place.collective, choice)};
  };
  Asked asked;
  if (!cell.own.empty() && !cell.own_seconds) asked.own = query(cell.own);
  if (cell.seconds == kUnknown && cell.says != kOwnChoice) asked.says = query(cell.says);
  return asked;
}

/// In messages; 0 where nothing is simulated.
double work_of_asked(const Asked& asked, const Simulations& simulations) {
  double work = 0;
  const auto add = [&](const Query& query) {
    if (why_not(query.choice, case_for(query.place, query.bytes)).empty())
      work += query.place.ranks() + simulations.messages(query);
  };
  if (asked.own) add(*asked.own);
  if (asked.says && !(asked.own && asked.own->choice == asked.says->choice)) add(*asked.says);
  return work;
}

}  // namespace

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
                             const SweepProgress::Callback& progress) {
  std::vector<Asked> all;
  for (AuditedCell& cell : cells) all.push_back(asked_of(cell));
  SweepProgress counted(progress);
  for (const Asked& asked : all) counted.expect({{}, 1, work_of_asked(asked, simulations)});
  const auto time = [&](const Query& query) {
    if (!why_not(query.choice, case_for(query.place, query.bytes)).empty()) return kUnknown;
    return simulations.seconds(table.engine, query);
  };
  std::size_t simulated = 0;
  const auto complete = [&](AuditedCell& cell, const Asked& asked) {
    if (asked.own) {
      const double own = time(*asked.own);
      if (own != kUnknown) cell.own_seconds = own, ++simulated;
    }
    if (asked.says) {
      cell.seconds = time(*asked.says);
      simulated += cell.seconds != kUnknown;
    } else if (cell.says == kOwnChoice && cell.own_seconds) {
      cell.seconds = *cell.own_seconds;
    }
    cell.best_seconds = std::min({cell.best_seconds, cell.seconds, cell.own_seconds.value_or(kUnknown)});
  };
  for (const std::size_t i : scattered(cells.size()))
    counted.step(i, [&] {
      const std::size_t before = Simulations::simulated_by_this_thread();
      complete(cells[i], all[i]);
      return Simulations::simulated_by_this_thread() > before;
    });
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
