#include "sim/paths.hpp"

#include <algorithm>

namespace tutti {

Paths::Paths(const Machine& machine, const std::vector<int>& core_of_rank, const Symmetry& symmetry)
    : machine_(machine),
      core_of_rank_(core_of_rank),
      symmetry_(symmetry),
      link_bytes_(machine.network->links().size()) {
  const auto ranks = static_cast<std::size_t>(symmetry.simulated(static_cast<int>(core_of_rank.size())));
  paths_.resize(2 * ranks);
  links_.resize(paths_.size() * stride_);
}

void Paths::find(Path& path, Rank from, Rank to) {
  forget(path);
  const int from_core = core_of_rank_[from], to_core = core_of_rank_[to];
  const Network& network = *machine_.network;
  network.route(from_core, to_core, route_);
  if (route_.size() > stride_) {
    std::vector<LinkId> wider(paths_.size() * route_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) wider[i / stride_ * route_.size() + i % stride_] = links_[i];
    stride_ = route_.size();
    links_ = std::move(wider);
  }
  const Distance distance = network.distance(from_core, to_core);
  const auto& transport = machine_.transports[static_cast<std::size_t>(distance)];
  path = {};
  path.from = from;
  path.to = to;
  path.distance = distance;
  path.by_adapters = distance == Distance::network;
  path.transport = transport ? &*transport : nullptr;
  LinkId* link_of_path = &links_[static_cast<std::size_t>(&path - paths_.data()) * stride_];
  const auto links = network.links();
  for (const LinkId id : route_) {
    path.add(links[id]);
    *link_of_path++ = symmetry_.stands_for.empty() ? id : symmetry_.stands_for[id];
  }
}

void Paths::forget(Path& path) {
  if (path.carried_bytes > 0)
    for (const LinkId link : links(path)) {
      if (link_bytes_[link] == 0) carriers_.push_back(link);
      link_bytes_[link] += path.carried_bytes;
    }
  path.carried_bytes = 0;
}

std::vector<std::pair<LinkId, double>> Paths::carried_bytes() {
  for (Path& path : paths_) forget(path);
  std::sort(carriers_.begin(), carriers_.end());
  std::vector<std::pair<LinkId, double>> carried;
  for (const LinkId link : carriers_) carried.emplace_back(link, link_bytes_[link]);
  return carried;
}

}  // namespace tutti
