#pragma once
// Dragonflies (Kim, Dally, Scott, Abts: "Technology-driven, highly-scalable dragonfly topology", ISCA 2008) with groups
// of one chassis (Slingshot) or several (Aries; Faanes et al.: "Cray Cascade", SC 2012).

#include <optional>
#include <vector>

#include "topologies/fabric.hpp"
#include "topologies/group_links.hpp"
#include "topologies/group_trunks.hpp"

namespace tutti {

/// Routers of a chassis are joined all to all by local cables; routers in the same place of all chassis of a group,
/// all to all by chassis cables; each two groups by `global_cables` cables, for any number of groups.
struct DragonflyShape {
  int groups = 1;
  int chassis_per_group = 1;
  int routers_per_chassis = 1;
  int nodes_per_router = 1;
  int global_cables = 1;
  Channel local, chassis, global;  ///< looked at only where there are such cables
  int nodes = 0;                   ///< 0: all places taken; fewer leaves the last places empty
  Routing routing = Routing::fixed;
  double detour_share = 0;  ///< of adaptive routing, see GroupTrunks
};

/// Routing is minimal: over the global cable that asks for the fewest hops inside the two groups, equally good ones
/// dealt out by destination, or by the hash; inside a group first along the chassis, then across. Never through a third
/// group, so that results are bounds where traffic is uneven. Adaptive routing, for groups of one chassis, joins what
/// leads from a router to the others of its group to a trunk, what leads to it to another, and the cables between two
/// groups as GroupTrunks says; a way between groups has one hop inside them, the mean. Routers are the leaves of
/// placements.
class Dragonfly final : public Fabric {
 public:
  /// Throws InputError on counts that are not positive or nodes that do not fit.
  explicit Dragonfly(const DragonflyShape& shape);

  int switch_of(int node) const override { return node / nodes_per_router_; }
  int nodes_beside(int node) const override { return nodes_beside_of(node, nodes_per_router_); }
  /// Takes time in the length of the route and the number of cables between two groups.
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override;
  int group_of(int node) const override { return switch_of(node) / routers_; }
  int groups() const override { return group_of(nodes() - 1) + 1; }
  int leaf_of(int node) const override { return switch_of(node); }
  int leaves() const override { return switch_of(nodes() - 1) + 1; }

 private:
  struct Place {
    int chassis;  ///< of its group
    int slot;     ///< in its chassis
  };
  void add_trunks(const DragonflyShape& shape);
  void route_in_group(int from, int to, std::vector<LinkId>& into) const;
  int global_cable(int from, int to, std::int64_t destination) const;
  int hops_in_group(int from, int to) const {
    return (places_[from].slot != places_[to].slot) + (places_[from].chassis != places_[to].chassis);
  }

  int nodes_per_router_;
  int slots_;    ///< routers of a chassis
  int chassis_;  ///< of a group
  int routers_;  ///< of a group
  GroupLinks between_;
  std::vector<Place> places_;  ///< by router
  LinkId first_chassis_ = 0;
  LinkId first_global_ = 0;
  std::optional<GroupTrunks> trunks_;  ///< where routing is adaptive
};

}  // namespace tutti
