#include "topologies/failed_cables.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

class WithoutLinks final : public Fabric {
 public:
  WithoutLinks(std::shared_ptr<const Network> whole, const std::vector<LinkId>& failed)
      : Fabric(whole->fabric()), whole_(std::move(whole)), failed_(links().size()) {
    if (const auto* part = dynamic_cast<const WithoutLinks*>(&whole_->fabric())) {
      failed_ = part->failed_;
      whole_ = std::shared_ptr<const Network>(part->whole_);
    }
    if (const auto* graph = dynamic_cast<const CableGraph*>(&whole_->fabric()); graph && graph->has_tables())
      tables_ = graph;
    for (const LinkId link : failed) {
      if (link >= failed_.size()) throw InputError("expected links between switches");
      failed_[link] = true;
    }
  }

  int switch_of(int node) const override { return whole_->fabric().switch_of(node); }
  int nodes_beside(int node) const override { return whole_->fabric().nodes_beside(node); }
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override {
    // As many destinations as there are ways at most, or nearly: ways repeat from there on.
    constexpr std::int64_t kMostWays = 1 << 16;
    const std::size_t begin = into.size();
    const auto is_whole = [&] {
      const auto first = into.begin() + static_cast<std::ptrdiff_t>(begin);
      return std::none_of(first, into.end(), [&](LinkId link) { return failed_[link]; });
    };
    if (tables_ != nullptr) {
      tables_->route(from_node, to_node, destination, into);
      if (is_whole()) return;
    }
    for (std::int64_t next = 0; next < kMostWays; ++next) {
      into.resize(begin);
      if (tables_ != nullptr)
        tables_->find_route(from_node, to_node, destination + next, into);
      else
        whole_->fabric().route(from_node, to_node, destination + next, into);
      if (is_whole()) return;
    }
    throw InputError("no way that the routing knows is left from node " + std::to_string(from_node) + " to node " +
                     std::to_string(to_node) + ": longer ways than usual are not modelled");
  }
  int group_of(int node) const override { return whole_->fabric().group_of(node); }
  int groups() const override { return whole_->fabric().groups(); }
  int leaf_of(int node) const override { return whole_->fabric().leaf_of(node); }
  int leaves() const override { return whole_->fabric().leaves(); }
  bool has_tables() const { return tables_ != nullptr; }

 private:
  std::shared_ptr<const Network> whole_;
  std::vector<bool> failed_;            // by link
  const CableGraph* tables_ = nullptr;  // of whole_, where its ways are those of forwarding tables
};

}  // namespace

std::vector<std::string> cable_levels(const Fabric& fabric) {
  std::vector<std::string> levels;
  for (const Link& link : fabric.links())
    if (const std::string level = link.level.cable_label();
        std::find(levels.begin(), levels.end(), level) == levels.end())
      levels.push_back(level);
  return levels;
}

std::vector<std::pair<LinkId, LinkId>> cables_of(const Fabric& fabric, const std::string& level) {
  // Of the cables between two switches, the one direction's i-th link belongs to the other's i-th.
  std::map<std::pair<int, int>, std::vector<LinkId>> between;
  std::vector<std::pair<LinkId, LinkId>> found;
  for (LinkId id = 0; id < fabric.links().size(); ++id)
    if (fabric.links()[id].level.cable_label() == level)
      between[{fabric.cables()[id].from_switch, fabric.cables()[id].to_switch}].push_back(id);
  std::map<std::pair<int, int>, std::size_t> seen;
  for (LinkId id = 0; id < fabric.links().size(); ++id) {
    if (fabric.links()[id].level.cable_label() != level) continue;
    const auto [from, to] = fabric.cables()[id];
    const std::size_t place = seen[{from, to}]++;
    const auto back = between.find({to, from});
    if (back == between.end() || place >= back->second.size()) continue;
    if (const LinkId other = back->second[place]; id < other) found.emplace_back(id, other);
  }
  return found;
}

std::vector<LinkId> links_at(const Fabric& fabric, int network_switch) {
  std::vector<LinkId> found;
  for (LinkId id = 0; id < fabric.cables().size(); ++id)
    if (fabric.cables()[id].from_switch == network_switch || fabric.cables()[id].to_switch == network_switch)
      found.push_back(id);
  return found;
}

bool has_tables(const Fabric& fabric) {
  if (const auto* part = dynamic_cast<const WithoutLinks*>(&fabric)) return part->has_tables();
  const auto* graph = dynamic_cast<const CableGraph*>(&fabric);
  return graph != nullptr && graph->has_tables();
}

std::shared_ptr<const Network> without_links(std::shared_ptr<const Network> whole, const std::vector<LinkId>& failed) {
  const NodeShape shape = whole->node_shape();  // the whole may go, where it lacks links itself
  return std::make_shared<const Network>(shape, std::make_unique<WithoutLinks>(std::move(whole), failed));
}

}  // namespace tutti
