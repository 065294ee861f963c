#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "sites/cabling.hpp"
#include "sites/host_list.hpp"

namespace tutti {
namespace {

/// 0 for a switch with nothing but nodes on it, else one more than the highest below.
std::vector<int> levels(const SwitchTree& tree, const std::map<std::string, int>& index) {
  std::vector<std::pair<int, int>> edges;  // below, above
  for (std::size_t i = 0; i < tree.switches.size(); ++i)
    for (const std::string& below : tree.switches[i].switches) edges.emplace_back(index.at(below), static_cast<int>(i));
  std::vector<int> level(tree.switches.size(), 0);
  // As many rounds as the tree is high.
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [below, above] : edges)
      if (level[above] <= level[below]) level[above] = level[below] + 1, grows = true;
  }
  return level;
}

std::map<std::string, int> index_of(const SwitchTree& tree) {
  if (!tree.fault.empty()) throw InputError(tree.fault);
  std::map<std::string, int> index;
  for (std::size_t i = 0; i < tree.switches.size(); ++i) index.emplace(tree.switches[i].name, static_cast<int>(i));
  return index;
}

}  // namespace

int levels_of(const SwitchTree& tree) {
  const std::vector<int> level = levels(tree, index_of(tree));
  return *std::max_element(level.begin(), level.end());
}

Cabling cabling_of(const SwitchTree& tree, const std::vector<double>& up_rates, const std::vector<double>& host_rates) {
  const std::map<std::string, int> index = index_of(tree);
  const std::vector<int> level = levels(tree, index);
  std::vector<int> above(tree.switches.size(), 0);  // how many switches are right above
  for (const SwitchTree::Switch& one : tree.switches)
    for (const std::string& below : one.switches) ++above[index.at(below)];
  Cabling cabling;
  std::map<std::string, std::string> nodes;  // by the name without its domain
  cabling.source = std::filesystem::path(tree.file).filename().string();
  for (std::size_t i = 0; i < tree.switches.size(); ++i) {
    const SwitchTree::Switch& one = tree.switches[i];
    cabling.switches.push_back(one.name);
    for (const std::string& node : one.nodes) {
      Cabling::Host host{short_name(node), {}};
      const auto [known, is_new] = nodes.emplace(host.name, node);
      if (host.name.empty() || !is_new)
        throw InputError(fmt::format("{}:{}: node {}{}, expected names that differ before the first dot", tree.file,
                                     one.line, node, is_new ? "" : " beside " + known->second));
      for (const double rate : host_rates) host.ports.push_back({static_cast<int>(i), rate});
      cabling.hosts.push_back(std::move(host));
    }
    for (const std::string& below : one.switches) {
      const int other = index.at(below);
      cabling.cables.push_back({other, static_cast<int>(i), up_rates.at(level[other]) / above[other]});
    }
  }
  return cabling;
}

}  // namespace tutti
