#include "cli/routes.hpp"

#include <fmt/core.h>

#include <map>

#include "base/error.hpp"

namespace tutti::cli {
namespace {

using nlohmann::ordered_json;
constexpr int most_nodes = 1024;

std::string node_name(int node) { return fmt::format("node/{}", node); }
std::string switch_name(int number) { return fmt::format("switch/{}", number); }

/// Numbers the links that routes use, in order of first use.
class Links {
 public:
  explicit Links(const Network& network) : network_(network) {}

  std::size_t number(LinkId id, int from_node, int to_node) {
    const auto [place, is_new] = numbers_.emplace(id, numbers_.size());
    if (is_new) describe(id, from_node, to_node);
    return place->second;
  }
  const ordered_json& all() const { return all_; }

 private:
  /// Links that are not the fabric's belong to the node at that end of the route.
  void describe(LinkId id, int from_node, int to_node) {
    const Link& link = network_.links()[id];
    const std::string name = network_.name_of(id);
    const Fabric& fabric = network_.fabric();
    std::string from, to;
    if (id < fabric.links().size()) {
      from = switch_name(fabric.cables()[id].from_switch), to = switch_name(fabric.cables()[id].to_switch);
    } else if (link.level == LinkLevel::Kind::nic_out) {
      from = node_name(from_node), to = switch_name(fabric.switch_of(from_node));
    } else if (link.level == LinkLevel::Kind::nic_in) {
      from = switch_name(fabric.switch_of(to_node)), to = node_name(to_node);
    } else {  // inside the node
      from = to = name.substr(0, name.find('/', name.find('/') + 1));
    }
    all_.push_back({{"name", name},
                    {"level", link.level.label()},
                    {"from", from},
                    {"to", to},
                    {"bandwidth_bytes_per_second", link.bandwidth_bytes_per_second},
                    {"latency_seconds", link.latency_seconds},
                    {"shared", link.shared}});
  }

  const Network& network_;
  std::map<LinkId, std::size_t> numbers_;
  ordered_json all_ = ordered_json::array();
};

}  // namespace

ordered_json routes_json(const Network& network) {
  if (network.nodes() > most_nodes)
    throw InputError(
        fmt::format("--routes: expected at most {} nodes, the machine has {}", most_nodes, network.nodes()));
  if (network.fabric().routing() == Routing::adaptive)
    throw InputError("--routes: expected routing of one way for each message, the machine's is adaptive");
  Links links(network);
  ordered_json routes = ordered_json::array();
  std::vector<LinkId> route;
  for (int from = 0; from < network.nodes(); ++from)
    for (int to = 0; to < network.nodes(); ++to) {
      if (from == to) continue;
      network.route(from * network.cores_per_node(), to * network.cores_per_node(), route);
      ordered_json numbers = ordered_json::array();
      for (const LinkId id : route) numbers.push_back(links.number(id, from, to));
      routes.push_back({{"from", from}, {"to", to}, {"links", numbers}});
    }
  return {{"nodes", network.nodes()},
          {"switches", network.fabric().switches()},
          {"links", links.all()},
          {"routes", routes}};
}

}  // namespace tutti::cli
