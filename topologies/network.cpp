#include "topologies/network.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "topologies/node_routes.hpp"

namespace tutti {

const char* to_string(Distance distance) {
  constexpr const char* names[distance_count] = {"self", "cache", "numa", "socket", "node", "network"};
  return names[static_cast<int>(distance)];
}

Network::Network(const NodeShape& shape, std::unique_ptr<const Fabric> fabric)
    : shape_(shape), fabric_(std::move(fabric)) {
  if (!fabric_) throw InputError("network: expected a fabric");
  node_ = std::make_unique<NodeRoutes>(shape_);
  nodes_ = fabric_->nodes();
  cores_per_node_ = node_->cores();
  if (nodes_ > 1 && shape_.nics.empty()) throw InputError("node: expected a NIC, as the machine has several nodes");
  check_count(std::int64_t{nodes_} * cores_per_node_, 1, "network: cores");
  const std::size_t per_node = node_->links().size();
  check_count(static_cast<std::int64_t>(fabric_->links().size() + nodes_ * per_node), 0, "network: links");

  links_.reserve(fabric_->links().size() + nodes_ * per_node);
  links_ = fabric_->links();
  for (int node = 0; node < nodes_; ++node) links_.insert(links_.end(), node_->links().begin(), node_->links().end());
}

Network::~Network() = default;

std::string Network::name_of(LinkId link) const {
  const std::size_t between = fabric_->links().size(), inside = node_->links().size();
  if (link < between) return fabric_->name_of(link);
  const std::size_t node = (link - between) / inside;
  return "node/" + std::to_string(node) + "/" + node_->name_of(static_cast<LinkId>((link - between) % inside));
}

void Network::route(int from_core, int to_core, std::vector<LinkId>& into) const {
  into.clear();
  const int from_node = node_of(from_core), to_node = node_of(to_core);
  const int from = from_core - from_node * cores_per_node_, to = to_core - to_node * cores_per_node_;
  const std::size_t first = fabric_->links().size(), per_node = node_->links().size();
  const auto from_links = static_cast<LinkId>(first + from_node * per_node);
  const auto to_links = static_cast<LinkId>(first + to_node * per_node);
  if (from_node == to_node) {
    node_->within(from, to, from_links, into);
    return;
  }
  node_->out(from, from_links, into);
  fabric_->route(from_node, to_node, fabric_->destination(to_node, node_->nic_of(to)), into);
  node_->in(to, to_links, into);
}

std::vector<bool> Network::can_fill(std::span<const int> cores) const {
  const std::vector<Link>& between = fabric_->links();
  const std::span<const Link> inside = node_->links();
  std::vector<bool> can(links_.size(), true);
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (!inside[i].shared)  // all nodes are alike
      for (std::size_t id = between.size() + i; id < links_.size(); id += inside.size()) can[id] = false;
  const std::vector<Reach>& reaches = fabric_->reaches();
  const std::size_t nics = shape_.nics.size();
  const auto is_bound = [](const Nic& nic) { return nic.cable.shared; };  // what flows share bounds them together
  if (reaches.empty() || nics == 0 || !std::all_of(shape_.nics.begin(), shape_.nics.end(), is_bound)) {
    for (std::size_t id = 0; id < between.size(); ++id)
      if (!between[id].shared) can[id] = false;  // few are not, and writing a bit takes longer than reading
    return can;
  }
  std::vector<bool> used(static_cast<std::size_t>(nodes_) * nics);
  for (const int core : cores)
    used[static_cast<std::size_t>(node_of(core)) * nics +
         static_cast<std::size_t>(node_->nic_of(core % cores_per_node_))] = true;
  std::vector<double> before{0};  // of the adapters of the nodes before each; rounding must not decide
  before.reserve(static_cast<std::size_t>(nodes_) + 1);
  for (std::size_t node = 0; node < static_cast<std::size_t>(nodes_); ++node) {
    before.push_back(before.back());
    for (std::size_t nic = 0; nic < nics; ++nic)
      if (used[node * nics + nic]) before.back() += shape_.nics[nic].cable.bandwidth_bytes_per_second;
  }
  const auto adapters = [&](int first, int end) {
    return before[std::min(end, nodes_)] - before[std::min(first, nodes_)];
  };
  const auto [least, most] = std::minmax_element(cores.begin(), cores.end());
  const int first_node = cores.empty() ? nodes_ : node_of(*least), end_node = cores.empty() ? 0 : node_of(*most) + 1;
  std::fill_n(can.begin(), static_cast<std::ptrdiff_t>(reaches.size()), false);
  for (std::size_t id = 0; id < reaches.size(); ++id) {
    const Reach& reach = reaches[id];
    // Few of a large machine's trunks lie between nodes of a job: the others are not even looked at.
    if (std::max(reach.from_first, reach.to_first) >= end_node || std::min(reach.from_end, reach.to_end) <= first_node)
      continue;
    const double wanted = std::min(adapters(reach.from_first, reach.from_end), adapters(reach.to_first, reach.to_end));
    can[id] = wanted > 0 && between[id].shared && wanted > between[id].bandwidth_bytes_per_second * (1 + 1e-12);
  }
  return can;
}

Distance Network::distance(int a, int b) const {
  if (node_of(a) != node_of(b)) return Distance::network;
  return node_->distance(a % cores_per_node_, b % cores_per_node_);
}

}  // namespace tutti
