#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "tables/table.hpp"

namespace tutti {
namespace {

auto circumstances(const Table& table) {
  return std::tie(table.machine, table.engine, table.mode, table.placement, table.loads, table.robust, table.statistic);
}

}  // namespace

Table joined(std::span<const Table> tables, const std::vector<std::string>& paths) {
  Table all = tables.front();
  std::map<std::pair<Place, std::int64_t>, std::size_t> from;  // of each cell, the table
  for (const Cell& cell : all.cells) from[{cell.place, cell.bytes}] = 0;
  for (std::size_t i = 1; i < tables.size(); ++i) {
    const Table& next = tables[i];
    const auto both = [&](std::size_t other) { return paths[other] + " and " + paths[i] + ": "; };
    if (circumstances(next) != circumstances(all))
      throw InputError(both(0) + "expected tables of one machine, engine, mode and placement, beside the same loads");
    if (!next.library.empty() && !all.library.empty() && next.library != all.library)
      throw InputError(both(0) + "expected tables that were tuned for one library, not for " + all.library + " and " +
                       next.library);
    for (const Cell& cell : next.cells) {
      const auto [known, is_new] = from.try_emplace({cell.place, cell.bytes}, i);
      if (!is_new)
        throw InputError(both(known->second) + "expected each cell once, not two of " +
                         std::string(name_of(cell.place.collective)) + " on " + std::to_string(cell.place.nodes) +
                         " x " + std::to_string(cell.place.ppn) + ", " + std::to_string(cell.bytes) + " bytes");
      all.cells.push_back(cell);
    }
    all.bound = std::min(all.bound, next.bound);
    all.refused += next.refused, all.left_out += next.left_out, all.dropped += next.dropped;
    if (all.library.empty()) all.library = next.library;
    if (all.confirming.empty()) all.confirming = next.confirming;
    for (const std::string& note : next.notes)
      if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end()) all.notes.push_back(note);
  }
  derive_rules(all);
  return all;
}

}  // namespace tutti
