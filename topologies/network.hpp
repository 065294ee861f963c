#pragma once
// The network that everyone else sees: directed links, and the links on the way from one core to another.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topologies/fabric.hpp"
#include "topologies/link.hpp"
#include "topologies/node_shape.hpp"

namespace tutti {

class NodeRoutes;

/// The closest thing that two cores share, nearest first.
enum class Distance { self, cache, numa, socket, node, network };
inline constexpr int distance_count = 6;
/// "self", "cache", "numa", "socket", "node" or "network".
const char* to_string(Distance distance);

/// Nodes of one shape on one fabric. Immutable after construction and safe for concurrent reads. Memory grows with
/// the number of links, never with the number of pairs.
class Network {
 public:
  /// Throws InputError, in one line, where the figures do not make a network.
  Network(const NodeShape& shape, std::unique_ptr<const Fabric> fabric);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int nodes() const { return nodes_; }
  int cores_per_node() const { return cores_per_node_; }
  /// Cores are numbered node by node.
  int cores() const { return nodes_ * cores_per_node_; }
  int node_of(int core) const { return core / cores_per_node_; }

  std::span<const Link> links() const { return links_; }
  /// "leaf-up/0/1/0", "node/3/nic/0/out".
  std::string name_of(LinkId link) const;
  /// Fills `into`, cleared first, with the links from one core to another in order, each at most once. From a core to
  /// itself: what a local copy passes. Takes time in the length of the route and allocates nothing once `into` has
  /// the capacity. Cores must exist.
  void route(int from_core, int to_core, std::vector<LinkId>& into) const;
  Distance distance(int a, int b) const;
  /// By link: whether it could ever be full while these cores, and no others, send and receive. A trunk cannot that is
  /// as wide as the adapters of those that may send over it, or of those that may receive; of other links nobody asks.
  /// Links that flows do not share cannot.
  std::vector<bool> can_fill(std::span<const int> cores) const;

  /// The group and leaf of a node, -1 where the network has no such level (then groups() or leaves() is 0).
  int group_of(int node) const { return fabric_->group_of(node); }
  int groups() const { return fabric_->groups(); }
  int leaf_of(int node) const { return fabric_->leaf_of(node); }
  int leaves() const { return fabric_->leaves(); }

  const NodeShape& node_shape() const { return shape_; }
  const Fabric& fabric() const { return *fabric_; }

 private:
  NodeShape shape_;
  std::unique_ptr<const Fabric> fabric_;
  std::unique_ptr<const NodeRoutes> node_;
  int nodes_ = 0;
  int cores_per_node_ = 0;
  std::vector<Link> links_;  ///< those of the fabric, then those of each node
};

}  // namespace tutti
