#include "selection/export_targets.hpp"

#include <algorithm>

#include "selection/export.hpp"

namespace tutti {

std::vector<std::vector<bool>> export_targets_among(const std::vector<Choice>& candidates) {
  std::vector<std::vector<bool>> targets{std::vector<bool>(candidates.size(), true)};
  for (const Exporter* exporter : exporters()) {
    std::vector<bool> can_have;
    for (const Choice& candidate : candidates) can_have.push_back(exporter->can_say(candidate));
    const bool is_none = std::find(can_have.begin(), can_have.end(), true) == can_have.end();
    if (!is_none && std::find(targets.begin(), targets.end(), can_have) == targets.end())
      targets.push_back(std::move(can_have));
  }
  return targets;
}

}  // namespace tutti
