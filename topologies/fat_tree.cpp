#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

LinkLevel level_of(std::size_t layer, bool up) {
  return {up ? LinkLevel::Kind::up : LinkLevel::Kind::down, static_cast<int>(layer)};
}

int divide_up(int value, int by) { return (value + by - 1) / by; }

}  // namespace

FatTree::FatTree(const FatTreeShape& shape) {
  check_count(shape.nodes_per_leaf, 1, "fat tree: nodes per leaf");
  std::int64_t places = shape.nodes_per_leaf;
  subtree_nodes_.push_back(shape.nodes_per_leaf);
  for (const FatTreeLayer& layer : shape.layers) {
    check_count(layer.children, 1, "fat tree: children of a switch");
    check_count(layer.parents, 1, "fat tree: parents of a switch");
    check_count(layer.cables, 1, "fat tree: parallel cables");
    check_channel(layer.cable, "fat tree: cable");
    check_count(places *= layer.children, 1, "fat tree: nodes");
    subtree_nodes_.push_back(static_cast<int>(places));
  }
  const int nodes = nodes_in(places, shape.nodes, "fat tree");
  set_routing(shape.routing);

  std::int64_t replicas = 1, divisor = 1;
  int first_below = 0;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const FatTreeLayer& given = shape.layers[l];
    const std::int64_t subtrees = places / subtree_nodes_[l];
    const std::int64_t above = replicas * given.parents;
    const int first_above = first_below + static_cast<int>(subtrees * replicas);
    Layer layer{given.parents,
                given.cables,
                static_cast<int>(replicas),
                divisor,
                static_cast<std::int64_t>(links().size()),
                subtrees * above * given.cables};
    check_count(layer.first_up + 2 * layer.links_up, 0, "fat tree: links");
    if (shape.routing == Routing::adaptive) {
      layer.links_up = subtrees;
      add_trunks(given, layer, l, first_below, first_above);
    } else {
      add_layer(given, layer, l, first_below, first_above);
    }
    layers_.push_back(layer);
    first_below = first_above;
    replicas = above;
    divisor *= std::int64_t{given.parents} * given.cables;
  }
  set_size(nodes, first_below + static_cast<int>(replicas));
}

void FatTree::add_layer(const FatTreeLayer& given, const Layer& layer, std::size_t level, int first_below,
                        int first_above) {
  const std::int64_t above = std::int64_t{layer.replicas_below} * given.parents;
  for (const bool up : {true, false})
    for (std::int64_t subtree = 0; subtree < layer.links_up / (above * given.cables); ++subtree)
      for (std::int64_t replica = 0; replica < layer.replicas_below; ++replica)
        for (std::int64_t parent = 0; parent < given.parents; ++parent)
          for (std::int64_t cable = 0; cable < given.cables; ++cable) {
            const int low = first_below + static_cast<int>(subtree * layer.replicas_below + replica);
            const int high = first_above + static_cast<int>(subtree / given.children * above + replica +
                                                            layer.replicas_below * parent);
            const LinkLevel of_cable = level_of(level, up);
            add_link(
                up ? low : high, up ? high : low, given.cable,
                of_cable.label() + "/" + std::to_string(low) + "/" + std::to_string(high) + "/" + std::to_string(cable),
                of_cable);
          }
}

void FatTree::add_trunks(const FatTreeLayer& given, const Layer& layer, std::size_t level, int first_below,
                         int first_above) {
  const std::int64_t above = std::int64_t{layer.replicas_below} * given.parents;
  const int places = subtree_nodes_.back(), below = subtree_nodes_[level];
  for (const bool up : {true, false})
    for (int subtree = 0; subtree < layer.links_up; ++subtree) {
      const int low = first_below + subtree * layer.replicas_below;
      const int high = first_above + static_cast<int>(subtree / given.children * above);
      const int first = subtree * below, end = first + below;
      const LinkLevel of_trunk = level_of(level, up);
      add_trunk(up ? low : high, up ? high : low, given.cable, static_cast<double>(above) * given.cables,
                up ? Reach{first, end, 0, places} : Reach{0, places, first, end},
                of_trunk.label() + "/" + std::to_string(subtree), of_trunk);
    }
}

void FatTree::route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const {
  std::size_t top = 0;
  if (routing() == Routing::adaptive) {
    for (; from_node / subtree_nodes_[top] != to_node / subtree_nodes_[top]; ++top)
      into.push_back(static_cast<LinkId>(layers_[top].first_up + from_node / subtree_nodes_[top]));
    while (top-- > 0)
      into.push_back(
          static_cast<LinkId>(layers_[top].first_up + layers_[top].links_up + to_node / subtree_nodes_[top]));
    return;
  }
  destination = chooser(from_node, destination);
  std::int64_t replica = 0;
  for (; from_node / subtree_nodes_[top] != to_node / subtree_nodes_[top]; ++top) {
    const Layer& layer = layers_[top];
    const std::int64_t port = destination / layer.divisor % (std::int64_t{layer.parents} * layer.cables);
    const std::int64_t parent = port % layer.parents;
    into.push_back(
        static_cast<LinkId>(link_of(layer, from_node / subtree_nodes_[top], replica, parent, port / layer.parents)));
    replica += layer.replicas_below * parent;
  }
  while (top-- > 0) {
    const Layer& layer = layers_[top];
    const std::int64_t port = destination / layer.divisor % (std::int64_t{layer.parents} * layer.cables);
    replica %= layer.replicas_below;
    into.push_back(static_cast<LinkId>(layer.links_up + link_of(layer, to_node / subtree_nodes_[top], replica,
                                                                port % layer.parents, port / layer.parents)));
  }
}

int FatTree::group_of(int node) const { return layers_.size() < 2 ? -1 : node / subtree_nodes_[layers_.size() - 1]; }
int FatTree::groups() const { return layers_.size() < 2 ? 0 : divide_up(nodes(), subtree_nodes_[layers_.size() - 1]); }
int FatTree::leaf_of(int node) const { return layers_.empty() ? -1 : switch_of(node); }
int FatTree::leaves() const { return layers_.empty() ? 0 : divide_up(nodes(), subtree_nodes_[0]); }

}  // namespace tutti
