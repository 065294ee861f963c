#pragma once
// The switches and cables between the nodes, and the ways that routing takes over them.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "topologies/link.hpp"

namespace tutti {

/// The two switches that a fabric link joins.
struct Cable {
  int from_switch;
  int to_switch;
};

/// How a fabric chooses among ways of equal length.
enum class Routing : std::uint8_t {
  fixed,    ///< by the destination alone: tables of static routing
  hashed,   ///< by a hash of sending node and destination, as ECMP does by the header: each pair has one way
  adaptive  ///< by load, packet by packet, taken as ideal: cables that lead the same way are one trunk, on which no
            ///< flow meets another before all cables are full
};

/// Which nodes may send over a trunk to which: those numbered [from_first, from_end) to [to_first, to_end).
struct Reach {
  int from_first, from_end, to_first, to_end;
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
  /// Of one of links().
  const std::string& name_of(LinkId link) const { return names_[link]; }
  Routing routing() const { return routing_; }
  /// Of each link, where routing is adaptive: then links are trunks, between two sets of switches, and cables() names
  /// one switch of each set. Empty otherwise.
  const std::vector<Reach>& reaches() const { return reaches_; }

  virtual int switch_of(int node) const = 0;
  /// On the switch of this node, itself included.
  virtual int nodes_beside(int node) const = 0;
  /// By what route() spreads the ways to a node's NIC; those of other nodes may have the same. All NICs of a switch
  /// whose nodes follow each other have numbers in a row, and so spread evenly over parallel paths, as do the nodes'
  /// first ones where no other is in use: if each node's NICs were next to each other, the first ones would all be
  /// even, and miss every other path.
  std::int64_t destination(int node, int nic) const { return node + std::int64_t{nic} * nodes_beside(node); }
  /// Appends the links from the switch of `from_node` to the switch of `to_node`. Routing that is not adaptive spreads
  /// destinations over parallel paths by `destination`.
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
  /// nodes_beside where switches have so many each, but for the last one.
  int nodes_beside_of(int node, int per_switch) const {
    return std::min(per_switch, nodes_ - node / per_switch * per_switch);
  }
  void set_routing(Routing routing) { routing_ = routing; }
  /// What parallel paths are chosen by instead of the destination.
  std::int64_t chooser(int from_node, std::int64_t destination) const {
    return routing_ == Routing::hashed ? hashed(from_node, destination) : destination;
  }
  /// The new link's number is the number of links before it.
  void add_link(int from_switch, int to_switch, const Channel& channel, std::string name, LinkLevel level) {
    cables_.push_back({from_switch, to_switch});
    links_.push_back({channel.bandwidth_bytes_per_second, channel.latency_seconds, level, channel.shared});
    names_.push_back(std::move(name));
  }
  /// As wide as so many cables.
  void add_trunk(int from_switch, int to_switch, Channel cable, double cables, const Reach& reach, std::string name,
                 LinkLevel level) {
    cable.bandwidth_bytes_per_second *= cables;
    add_link(from_switch, to_switch, cable, std::move(name), level);
    reaches_.push_back(reach);
  }

 private:
  static std::int64_t hashed(int from_node, std::int64_t destination);

  int nodes_ = 0;
  int switches_ = 0;
  Routing routing_ = Routing::fixed;
  std::vector<Link> links_;
  std::vector<std::string> names_;
  std::vector<Cable> cables_;
  std::vector<Reach> reaches_;
};

}  // namespace tutti
