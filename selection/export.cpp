#include "selection/export.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "selection/own_choices.hpp"

namespace tutti {
namespace {

std::vector<const Exporter*>& mutable_exporters() {
  static std::vector<const Exporter*> all;
  return all;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

SeenLayout seen(Sight sight, int nodes, int ranks) {
  switch (sight) {
    case Sight::ranks:
      return {kMixed, ranks};
    case Sight::spread:
      return {nodes == ranks ? kOnePerNode : nodes == 1 ? kOneNode : kMixed, ranks};
    case Sight::layouts:
      return {(ranks + nodes - 1) / nodes, nodes};
  }
  throw std::logic_error("seen: no such sight");
}

int ranks_of(Sight sight, const SeenLayout& layout) {
  return sight == Sight::layouts ? layout.kind * layout.size : layout.size;
}

ExporterRegistration::ExporterRegistration(const Exporter* exporter) {
  auto& all = mutable_exporters();
  all.push_back(exporter);
  std::sort(all.begin(), all.end(), [](const Exporter* a, const Exporter* b) { return a->name() < b->name(); });
}

const std::vector<const Exporter*>& exporters() { return mutable_exporters(); }

const Exporter* exporter_to(const std::string& form) {
  const std::vector<const Exporter*>& all = exporters();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Exporter* one) { return one->name() == form; });
  return found == all.end() ? nullptr : *found;
}

const Exporter& find_exporter(const std::string& name) {
  if (const Exporter* exporter = exporter_to(name)) return *exporter;
  std::set<std::string> known;
  for (const Exporter* exporter : exporters()) known.insert(exporter->name());
  const Exporter* described = exporter_for(name);  // a library's name, as --for of other verbs takes it
  if (!described) described = exporter_of_version(name);
  if (!described) described = exporter_described_as(name);
  throw InputError(
      "unknown target '" + name + "': expected one of " + listed(known) +
      (described ? " (did you mean " + described->name() + "?)" : did_you_mean(name, {known.begin(), known.end()})));
}

std::vector<Collective> collectives_of(const Exporter& exporter) {
  std::vector<Collective> served;
  for (int i = 0; i < kAllCollectives; ++i)
    if (const auto collective = static_cast<Collective>(i); exporter.serves(collective)) served.push_back(collective);
  return served;
}

std::string Exporter::also_serves() const {
  switch (sight()) {
    case Sight::ranks:
      return "rules for N ranks also serve every other communicator of N ranks, such as N ranks of one node of a "
             "larger job";
    case Sight::spread:
      return "rules for N ranks also serve every other communicator of N ranks of the same distribution, a part of a "
             "larger job, too";
    case Sight::layouts:
      return "rules for a layout also serve every other communicator on as many nodes with as many ranks each, a part "
             "of a larger job, too";
  }
  throw std::logic_error("also_serves: no such sight");
}

bool leaves_sizes(const Exporter& exporter, Collective collective) {
  return collective == Collective::barrier || (exporter.knows_sizes(collective) && !exporter.all_sizes_or_none());
}

namespace {

bool is_served(const Cell& cell, const Exporter& exporter) {
  return is_regular(cell.place.collective) || exporter.serves(cell.place.collective);
}

[[noreturn]] void refuse_unserved(const Table& table, const std::string& path, const Exporter& exporter) {
  std::set<std::string> names, served;
  for (const Cell& cell : table.cells) names.emplace(name_of(cell.place.collective));
  for (const Collective other : collectives_of(exporter))
    if (!is_regular(other)) served.emplace(name_of(other));
  throw InputError(path + ": " + exporter.name() + " has no choice to make for " + listed(names) + ": expected " +
                   (served.empty() ? "a table of equal blocks" : listed(served)));
}

}  // namespace

std::vector<Collective> take_out_unserved(Table& table, const Exporter& exporter) {
  const auto cannot = [&](const Cell& cell) { return !is_served(cell, exporter); };
  if (std::all_of(table.cells.begin(), table.cells.end(), cannot)) return {};
  std::set<Collective> unserved;
  for (const Cell& cell : table.cells)
    if (cannot(cell)) unserved.insert(cell.place.collective);
  std::erase_if(table.cells, cannot);
  return {unserved.begin(), unserved.end()};
}

void expect_served(const Table& table, const std::string& path, const Exporter& exporter) {
  const auto can = [&](const Cell& cell) { return is_served(cell, exporter); };
  if (!table.cells.empty() && std::none_of(table.cells.begin(), table.cells.end(), can))
    refuse_unserved(table, path, exporter);
  std::map<Collective, std::string> spreads;
  for (const Cell& cell : table.cells) {
    const auto& [collective, nodes, ppn, counts] = cell.place;
    if (!is_irregular(collective) || !is_served(cell, exporter)) continue;
    const std::string name(name_of(collective));
    const auto& spread = spreads.try_emplace(collective, counts).first->second;
    const auto text = [](const std::string& of) { return of.empty() ? "equal" : of; };
    if (spread != counts)
      throw InputError(path + ": " + name + " is tuned for counts '" + text(spread) + "' and '" + text(counts) +
                       "', which tuning files cannot tell apart: expected one of them");
  }
}

const Exporter* exporter_described_as(const std::string& name) {
  const Exporter* found = nullptr;
  for (const Exporter* exporter : exporters()) {
    if (name.empty() || spelling::plain(exporter->description()).find(spelling::plain(name)) == std::string::npos)
      continue;
    if (found) return nullptr;
    found = exporter;
  }
  return found;
}

const Exporter* exporter_for(const std::string& library) {
  for (const Exporter* exporter : exporters())
    if (exporter->library() == library) return exporter;
  return nullptr;
}

const Exporter& find_exporter_for(const std::string& library) {
  if (const Exporter* exporter = exporter_for(library)) return *exporter;
  std::set<std::string> known;
  for (const Exporter* exporter : exporters()) {
    known.insert(exporter->library());
    for (const std::string& version : known_versions_of(*exporter))
      if (exporter_of_version(version)) known.insert(version);
  }
  const Exporter* const named = exporter_to(library);
  const Exporter* const form = named ? named : exporter_to(library + "-json");
  if (form && exporter_for(form->library()) != form)
    throw InputError(
        fmt::format("'{}' cannot be searched for, as its files are made of a table for {}: expected tutti tune "
                    "--baselines {}, and tutti export --to {} of its table",
                    library, form->library(), form->library(), form->name()));
  const Exporter* const described = named ? named : exporter_described_as(library);
  throw InputError("no tuning file of '" + library + "' can be written: expected one of " + listed(known) +
                   (described ? " (did you mean " + described->library() + ", for which " + described->name() + " is?)"
                              : did_you_mean(library, {known.begin(), known.end()})));
}

}  // namespace tutti
