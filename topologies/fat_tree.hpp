#pragma once
// Fat trees of any number of levels, tapered or not: extended generalised fat trees, XGFT(h; m; w), with parallel
// cables. (Öhring, Ibel, Das, Kumar: "On generalized fat trees", IPPS 1995.)

#include <vector>

#include "topologies/fabric.hpp"

namespace tutti {

/// One layer of switches above the leaves.
struct FatTreeLayer {
  int children = 1;  ///< subtrees of the layer below that one switch of this layer joins
  int parents = 1;   ///< switches of this layer that each switch of the layer below is cabled to
  int cables = 1;    ///< parallel cables between the two
  Channel cable;     ///< each cable, each direction
};

/// A leaf with 16 nodes below and layer {.parents = 8} above is tapered 2:1. No layers: one crossbar switch.
struct FatTreeShape {
  int nodes_per_leaf = 1;
  std::vector<FatTreeLayer> layers;
  int nodes = 0;  ///< 0: all places taken; fewer leaves the last places empty
  Routing routing = Routing::fixed;
};

/// Fixed routing is deadlock-free: up to a nearest common ancestor, then down. The way up is D-mod-k (Zahavi,
/// "Fat-tree routing and node ordering providing contention free traffic for MPI global collectives", JPDC 2012):
/// the up-port follows from the destination, so that destinations spread evenly over up-ports and all traffic to one
/// destination comes down one path. Hashed routing takes the up-port from the hash instead. Adaptive routing joins all
/// up-links of a subtree's topmost switches to one trunk, and all down-links to another. Leaves are a level where there
/// is a layer above; groups, the subtrees below the topmost layer, where there are two.
class FatTree final : public Fabric {
 public:
  /// Throws InputError on counts that are not positive or nodes that do not fit.
  explicit FatTree(const FatTreeShape& shape);

  int switch_of(int node) const override { return node / subtree_nodes_[0]; }
  int nodes_beside(int node) const override { return nodes_beside_of(node, subtree_nodes_[0]); }
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override;
  int group_of(int node) const override;
  int groups() const override;
  int leaf_of(int node) const override;
  int leaves() const override;

 private:
  struct Layer {
    int parents;
    int cables;
    int replicas_below;     ///< switches that one subtree of the level below has at its top
    std::int64_t divisor;   ///< up-ports of all layers below, multiplied
    std::int64_t first_up;  ///< number of the layer's first up-link
    std::int64_t links_up;  ///< its number of up-links; the down-links follow in the same order (trunks: likewise)
  };
  std::int64_t link_of(const Layer& layer, std::int64_t subtree, std::int64_t replica, std::int64_t parent,
                       std::int64_t cable) const {
    return layer.first_up + ((subtree * layer.replicas_below + replica) * layer.parents + parent) * layer.cables +
           cable;
  }

  void add_layer(const FatTreeLayer& given, const Layer& layer, std::size_t level, int first_below, int first_above);
  void add_trunks(const FatTreeLayer& given, const Layer& layer, std::size_t level, int first_below, int first_above);

  std::vector<Layer> layers_;
  std::vector<int> subtree_nodes_;  ///< places below a switch of each level, leaves first
};

}  // namespace tutti
