#include "selection/own_choices.hpp"

#include <algorithm>

#include "selection/baselines.hpp"

namespace tutti {
namespace {

bool is_baseline(const std::string& name) {
  const std::vector<std::string> known = baseline_names();
  return std::find(known.begin(), known.end(), name) != known.end();
}

/// Where the library is a baseline itself, others whose names go on are other libraries: "mpich-5.0" beside "mpich".
bool is_version_of(const std::string& baseline, const std::string& library) {
  return baseline.starts_with(library + "-") && !is_baseline(library);
}

}  // namespace

const Baseline* own_choices_of(const Exporter& exporter) {
  return is_baseline(exporter.library()) ? &find_baseline(exporter.library()) : nullptr;
}

const Baseline* own_choices_of(const Exporter& exporter, const Table& table) {
  if (const Baseline* library = own_choices_of(exporter)) return library;
  std::string last;
  for (const std::string& version : known_versions_of(exporter))
    if (std::any_of(table.cells.begin(), table.cells.end(),
                    [&](const Cell& cell) { return cell.default_seconds.contains(version); }))
      last = version;
  return last.empty() ? nullptr : &find_baseline(last);
}

std::vector<std::string> known_versions_of(const Exporter& exporter) {
  std::vector<std::string> versions = baseline_names();
  std::erase_if(versions, [&](const std::string& name) { return !is_version_of(name, exporter.library()); });
  return versions;
}

const Exporter* exporter_of_version(const std::string& baseline) {
  if (!is_baseline(baseline)) return nullptr;
  const Exporter* found = nullptr;
  for (const Exporter* exporter : exporters()) {
    if (!is_version_of(baseline, exporter->library())) continue;
    if (found) return nullptr;
    found = exporter;
  }
  return found;
}

}  // namespace tutti
