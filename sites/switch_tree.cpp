#include "sites/switch_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "sites/host_list.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostSwitches = 16384;  // of a graph (topologies/cable_graph.hpp)
constexpr std::size_t kMostNames = std::size_t{1} << 20;
constexpr const char* kAllBlocks = "all blocks";  // no name of Slurm's has a space

}  // namespace

void TreeBuilder::add(const std::string& name, const std::string& nodes, const std::string& switches, bool is_block,
                      int line) {
  if (name.find_first_of(" ,#\t") != std::string::npos || name.empty())
    throw text_.error(line, fmt::format("switch '{}', expected a name without spaces, commas and #", name));
  if (!by_name_.emplace(name, static_cast<int>(tree_.switches.size())).second)
    throw text_.error(line, fmt::format("switch {} a second time, expected each once", name));
  SwitchTree::Switch one{name, {}, {}, line};
  try {
    if (!nodes.empty() && nodes != "(null)") one.nodes = expand_hosts(nodes);
    if (!switches.empty() && switches != "(null)") one.switches = expand_hosts(switches);
  } catch (const InputError& error) {
    throw text_.error(line, error.what());
  }
  if (one.nodes.empty() && one.switches.empty())
    throw text_.error(line, fmt::format("switch {} has nothing on it, expected Nodes or Switches", name));
  names_ += one.nodes.size() + one.switches.size();
  if (tree_.switches.size() == kMostSwitches || names_ > kMostNames)
    throw text_.error(line, "expected at most 16384 switches and 2^20 names on them");
  tree_.switches.push_back(std::move(one));
  if (is_block) blocks_.push_back(name);
}

void TreeBuilder::join_blocks() {
  if (blocks_.size() < 2) return;
  tree_.switches.push_back({kAllBlocks, {}, blocks_, tree_.switches.front().line});
  by_name_.emplace(kAllBlocks, static_cast<int>(tree_.switches.size()) - 1);
}

std::vector<int> TreeBuilder::from_below() {
  // Depth first, without an end where a switch lies below itself.
  std::vector<int> order, state(tree_.switches.size(), 0);  // state 1: on the way down, 2: done
  for (std::size_t root = 0; root < state.size(); ++root) {
    std::vector<std::pair<int, std::size_t>> way;
    if (state[root] == 0) way.emplace_back(static_cast<int>(root), 0), state[root] = 1;
    while (!way.empty()) {
      const SwitchTree::Switch& here = tree_.switches[way.back().first];
      if (way.back().second == here.switches.size()) {
        order.push_back(way.back().first);
        state[way.back().first] = 2;
        way.pop_back();
        continue;
      }
      const std::string& name = here.switches[way.back().second++];
      const auto found = by_name_.find(name);
      if (found == by_name_.end())
        throw text_.error(here.line,
                          fmt::format("switch {} lies on {}, expected a line that describes it", name, here.name));
      if (state[found->second] == 1)
        tree_.fault = fmt::format("{}:{}: switch {} lies below itself, expected a tree", text_.file(), here.line, name);
      if (state[found->second] == 0) way.emplace_back(found->second, 0), state[found->second] = 1;
    }
  }
  return order;
}

/// `scontrol show topology` repeats at every switch all nodes below it.
void TreeBuilder::keep_nodes_where_they_hang() {
  std::map<std::string, const SwitchTree::Switch*> placed;
  for (const int i : from_below()) {
    SwitchTree::Switch& one = tree_.switches[i];
    std::vector<std::string> own;
    std::set<std::string> here;
    for (const std::string& node : one.nodes) {
      if (!here.insert(node).second)
        throw text_.error(one.line, fmt::format("node {} twice, expected each once", node));
      const auto before = placed.find(node);
      if (before == placed.end())
        own.push_back(node);
      else if (one.switches.empty())
        throw text_.error(
            one.line, fmt::format("node {} is on switch {}, too, expected each on one", node, before->second->name));
    }
    for (const std::string& node : own) placed.emplace(node, &one);
    one.nodes = std::move(own);
  }
  if (placed.empty()) throw text_.error(1, "no node in all of the file, expected Nodes=…");
}

SwitchTree TreeBuilder::done() && {
  if (tree_.switches.empty())
    throw text_.error(1, "no switch in all of the file, expected SwitchName=… or BlockName=…");
  join_blocks();
  keep_nodes_where_they_hang();
  return std::move(tree_);
}

}  // namespace tutti
