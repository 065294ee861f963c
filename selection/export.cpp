#include "selection/export.hpp"

#include <algorithm>

#include "algos/error.hpp"

namespace tutti {
namespace {

std::vector<const Exporter*>& mutable_exporters() {
  static std::vector<const Exporter*> all;
  return all;
}

}  // namespace

ExporterRegistration::ExporterRegistration(const Exporter* exporter) {
  auto& all = mutable_exporters();
  all.push_back(exporter);
  std::sort(all.begin(), all.end(), [](const Exporter* a, const Exporter* b) { return a->name() < b->name(); });
}

const std::vector<const Exporter*>& exporters() { return mutable_exporters(); }

const Exporter& find_exporter(const std::string& name) {
  std::string known;
  for (const Exporter* exporter : exporters()) {
    if (exporter->name() == name) return *exporter;
    known += (known.empty() ? "" : ", ") + exporter->name();
  }
  throw InputError("unknown target '" + name + "': expected one of " + known);
}

std::vector<Cell> cells_by_ranks(const Table& table, const std::optional<int>& ppn) {
  std::map<std::pair<Place, std::int64_t>, Cell> merged;
  for (const Cell& cell : table.cells) {
    if (ppn && cell.place.ppn != *ppn) continue;
    const double best = best_seconds(cell);
    std::map<std::string, double> relative;
    for (const auto& [choice, seconds] : cell.seconds) relative[choice] = seconds == best ? 1 : seconds / best;
    const Place place{cell.place.collective, cell.place.ranks(), 1};
    const auto [position, is_new] = merged.try_emplace({place, cell.bytes}, Cell{place, cell.bytes, relative});
    if (is_new) continue;
    auto& known = position->second.seconds;
    for (auto it = known.begin(); it != known.end();) {
      const auto here = relative.find(it->first);
      if (here == relative.end()) {
        it = known.erase(it);
      } else {
        it->second = std::max(it->second, here->second);
        ++it;
      }
    }
  }
  std::vector<Cell> cells;
  for (auto& [key, cell] : merged)
    if (!cell.seconds.empty()) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace tutti
