#pragma once
// Tori of any number of dimensions.

#include <vector>

#include "topologies/fabric.hpp"

namespace tutti {

/// Routers are numbered along the first dimension first. A dimension of 2 has one cable between its two routers, as the
/// second would never be on a shortest way that is chosen by direction.
struct TorusShape {
  std::vector<int> dimensions;
  int nodes_per_router = 1;
  Channel cable;
};

/// Routing is dimension by dimension, in each the shorter way round, upwards where both are equally long. No groups and
/// no leaves.
class Torus final : public Fabric {
 public:
  /// Throws InputError on counts that are not positive.
  explicit Torus(const TorusShape& shape);

  int switch_of(int node) const override { return node / nodes_per_router_; }
  int nodes_beside(int node) const override { return nodes_beside_of(node, nodes_per_router_); }
  int nodes_per_router() const { return nodes_per_router_; }
  /// Routers along each dimension.
  std::vector<int> sizes() const;
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override;

 private:
  struct Dimension {
    int size;
    int stride;         ///< between router numbers
    LinkId first_up;    ///< router r's link upwards is first_up + r; downwards first_down + r
    LinkId first_down;  ///< where size > 2
  };
  int nodes_per_router_;
  std::vector<Dimension> dimensions_;
};

}  // namespace tutti
