#pragma once
// The switches and cables between the nodes, with static routes.

#include <string>
#include <vector>

#include "topologies/link.hpp"

namespace tutti {

/// The two switches that a fabric link joins.
struct Cable {
  int from_switch;
  int to_switch;
};

/// Base of all fabrics. Each node hangs on one switch with all its NICs; those cables belong to the node, so that a
/// fabric has links between switches only. Immutable after construction and safe for concurrent reads.
class Fabric {
 public:
  virtual ~Fabric() = default;

  int nodes() const { return nodes_; }
  int switches() const { return switches_; }
  /// Links between switches; cables()[i] says which two links()[i] joins.
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Cable>& cables() const { return cables_; }

  virtual int switch_of(int node) const = 0;
  /// Appends the links from the switch of `from_node` to the switch of `to_node`. `destination` numbers the receiving
  /// NIC machine-wide (node * NICs per node + NIC); static routing spreads destinations over parallel paths by it.
  virtual void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const = 0;

  /// -1 and 0 where the fabric has no such level. Nodes are numbered leaf by leaf and group by group.
  virtual int group_of(int /*node*/) const { return -1; }
  virtual int groups() const { return 0; }
  virtual int leaf_of(int /*node*/) const { return -1; }
  virtual int leaves() const { return 0; }

 protected:
  Fabric() = default;
  Fabric(const Fabric&) = default;
  Fabric& operator=(const Fabric&) = default;

  /// `wanted` nodes, or all places where it is 0. Throws InputError where they do not fit.
  static int nodes_in(std::int64_t places, int wanted, const std::string& fabric);
  void set_size(int nodes, int switches) { nodes_ = nodes, switches_ = switches; }
  /// The new link's number is the number of links before it.
  void add_link(int from_switch, int to_switch, const Channel& channel, std::string name, const std::string& level) {
    cables_.push_back({from_switch, to_switch});
    links_.push_back(
        {std::move(name), channel.bandwidth_bytes_per_second, channel.latency_seconds, level, channel.shared});
  }

 private:
  int nodes_ = 0;
  int switches_ = 0;
  std::vector<Link> links_;
  std::vector<Cable> cables_;
};

}  // namespace tutti
