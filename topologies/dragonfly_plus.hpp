#pragma once
// Dragonfly+ (Shpiner et al.: "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017): each group is a
// two-level fat tree, and groups are joined all to all by their spines.

#include <optional>

#include "topologies/fabric.hpp"
#include "topologies/group_links.hpp"
#include "topologies/group_trunks.hpp"

namespace tutti {

struct DragonflyPlusShape {
  int groups = 1;
  int leaves_per_group = 1;
  int spines_per_group = 1;
  int nodes_per_leaf = 1;
  int local_cables = 1;   ///< between each leaf and each spine of a group
  int global_cables = 1;  ///< between each two groups, dealt out to the spines in turn
  Channel local, global;  ///< global is looked at only where there are several groups
  int nodes = 0;          ///< 0: all places taken; fewer leaves the last places empty
  Routing routing = Routing::fixed;
  double detour_share = 0;  ///< of adaptive routing, see GroupTrunks
};

/// Routing is minimal: leaf, spine, (global cable, spine,) leaf. The spine inside a group, the parallel cable and the
/// global cable follow from the destination, or from the hash. Adaptive routing joins a leaf's cables to all spines to
/// a trunk each way, and the cables between two groups as GroupTrunks says.
class DragonflyPlus final : public Fabric {
 public:
  /// Throws InputError on counts that are not positive or nodes that do not fit.
  explicit DragonflyPlus(const DragonflyPlusShape& shape);

  int switch_of(int node) const override {
    const int leaf = leaf_of(node);
    return leaf / leaves_ * (leaves_ + spines_) + leaf % leaves_;
  }
  int nodes_beside(int node) const override { return nodes_beside_of(node, nodes_per_leaf_); }
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override;
  int group_of(int node) const override { return leaf_of(node) / leaves_; }
  int groups() const override { return group_of(nodes() - 1) + 1; }
  int leaf_of(int node) const override { return node / nodes_per_leaf_; }
  int leaves() const override { return leaf_of(nodes() - 1) + 1; }

 private:
  LinkId local(int leaf, int spine, std::int64_t cable, bool up) const {
    return static_cast<LinkId>(2 * ((std::int64_t{leaf} * spines_ + spine) * local_cables_ + cable) + !up);
  }

  int nodes_per_leaf_;
  int leaves_;  ///< of a group
  int spines_;  ///< of a group
  int local_cables_;
  GroupLinks between_;
  LinkId first_global_ = 0;
  std::optional<GroupTrunks> trunks_;  ///< where routing is adaptive
};

}  // namespace tutti
