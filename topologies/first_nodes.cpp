#include "topologies/first_nodes.hpp"

#include <string>
#include <utility>

#include "base/error.hpp"

namespace tutti {
namespace {

class FirstNodes final : public Fabric {
 public:
  FirstNodes(std::shared_ptr<const Network> whole, int nodes) : Fabric(whole->fabric()), whole_(std::move(whole)) {
    set_size(nodes, switches());
  }

  int switch_of(int node) const override { return whole_->fabric().switch_of(node); }
  int nodes_beside(int node) const override { return whole_->fabric().nodes_beside(node); }
  void route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const override {
    whole_->fabric().route(from_node, to_node, destination, into);
  }
  int group_of(int node) const override { return whole_->fabric().group_of(node); }
  int groups() const override { return whole_->fabric().groups(); }
  int leaf_of(int node) const override { return whole_->fabric().leaf_of(node); }
  int leaves() const override { return whole_->fabric().leaves(); }

 private:
  const std::shared_ptr<const Network> whole_;
};

}  // namespace

std::shared_ptr<const Network> first_nodes(std::shared_ptr<const Network> whole, int nodes) {
  if (nodes < 1 || nodes > whole->nodes())
    throw InputError("expected 1 to " + std::to_string(whole->nodes()) + " nodes, got " + std::to_string(nodes));
  const NodeShape& shape = whole->node_shape();
  return std::make_shared<const Network>(shape, std::make_unique<FirstNodes>(std::move(whole), nodes));
}

}  // namespace tutti
