#pragma once
// Links and routes inside one node; every node of a machine has the same. For Network alone.

#include <string>
#include <vector>

#include "topologies/network.hpp"

namespace tutti {

/// Cores, NICs and links are counted inside the node; `first` is the number of the node's first link in the network.
class NodeRoutes {
 public:
  /// Throws InputError on a shape that makes no node.
  explicit NodeRoutes(const NodeShape& shape);

  int cores() const { return cores_; }
  const std::vector<Link>& links() const { return links_; }
  const std::string& name_of(LinkId link) const { return names_[link]; }
  /// The NIC that the core's messages take, by the node's policy.
  int nic_of(int core) const { return nic_of_core_[core]; }
  Distance distance(int a, int b) const;

  /// Each appends to `into`: from core to core, from a core onto the cable, from the cable to a core.
  void within(int from, int to, LinkId first, std::vector<LinkId>& into) const;
  void out(int core, LinkId first, std::vector<LinkId>& into) const;
  void in(int core, LinkId first, std::vector<LinkId>& into) const;

 private:
  using Route = std::vector<LinkId>;
  static constexpr LinkId none = ~LinkId{0};

  LinkId add_link(const std::optional<Channel>& channel, const std::string& name, LinkLevel level);
  void connect(const NodeShape& shape);
  int nearest_nic(int core, const NodeShape& shape) const;
  int domain_of(int core) const { return core / cores_per_domain_; }

  int cores_per_cache_;
  int cores_per_domain_;
  int domains_per_socket_;
  int domains_;
  int cores_;
  bool has_core_links_ = false;  ///< then core c has links 2c (out) and 2c + 1 (in)
  std::vector<LinkId> cache_;    ///< the cache group's link; empty without cache channels
  std::vector<Route> between_;   ///< [from domain * domains + to domain], with the memory channels
  std::vector<Route> outward_;   ///< [domain * NICs + NIC], with the cable
  std::vector<Route> inward_;    ///< [NIC * domains + domain], with the cable
  std::vector<int> nic_of_core_;
  std::vector<LinkId> injection_;  ///< by core; empty where adapters alone limit
  std::vector<Link> links_;
  std::vector<std::string> names_;
};

}  // namespace tutti
