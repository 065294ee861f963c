#include "topologies/dragonfly_plus.hpp"

namespace tutti {

DragonflyPlus::DragonflyPlus(const DragonflyPlusShape& shape)
    : nodes_per_leaf_(shape.nodes_per_leaf),
      leaves_(shape.leaves_per_group),
      spines_(shape.spines_per_group),
      local_cables_(shape.local_cables),
      between_{shape.groups, shape.spines_per_group, shape.global_cables} {
  check_count(shape.groups, 1, "dragonfly+: groups");
  check_count(leaves_, 1, "dragonfly+: leaves per group");
  check_count(spines_, 1, "dragonfly+: spines per group");
  check_count(nodes_per_leaf_, 1, "dragonfly+: nodes per leaf");
  check_count(local_cables_, 1, "dragonfly+: cables between leaf and spine");
  check_count(shape.global_cables, 1, "dragonfly+: cables between two groups");
  const std::int64_t groups = shape.groups, all_leaves = groups * leaves_;
  check_count(all_leaves, 1, "dragonfly+: leaves");
  check_count(groups * spines_, 1, "dragonfly+: spines");
  const int nodes = nodes_in(all_leaves * nodes_per_leaf_, shape.nodes, "dragonfly+");
  check_channel(shape.local, "dragonfly+: local cable");
  if (groups > 1) check_channel(shape.global, "dragonfly+: global cable");
  check_count(all_leaves * spines_, 0, "dragonfly+: pairs of leaf and spine");
  check_count(all_leaves * spines_ * local_cables_, 0, "dragonfly+: local cables");
  check_count(groups * (groups - 1), 0, "dragonfly+: pairs of groups");
  check_count(groups * (groups - 1) * shape.global_cables, 0, "dragonfly+: global links");

  const int of_group = leaves_ + spines_;
  set_size(nodes, shape.groups * of_group);
  set_routing(shape.routing);
  if (shape.routing == Routing::adaptive) {
    const int places = static_cast<int>(all_leaves) * nodes_per_leaf_;
    const auto cables = static_cast<double>(std::int64_t{spines_} * local_cables_);
    for (int leaf = 0; leaf < all_leaves; ++leaf) {
      const int low = leaf / leaves_ * of_group + leaf % leaves_, high = leaf / leaves_ * of_group + leaves_;
      const int first = leaf * nodes_per_leaf_, end = first + nodes_per_leaf_;
      const std::string name = "/" + std::to_string(leaf);
      add_trunk(low, high, shape.local, cables, {first, end, 0, places}, "leaf-up" + name, LinkLevel::Kind::up);
      add_trunk(high, low, shape.local, cables, {0, places, first, end}, "leaf-down" + name, LinkLevel::Kind::down);
    }
    trunks_ = GroupTrunks{shape.groups, static_cast<LinkId>(links().size()), shape.detour_share};
    trunks_->each(shape.global_cables, leaves_ * nodes_per_leaf_, "dragonfly+", [&](const GroupTrunks::Trunk& trunk) {
      add_trunk(trunk.from_group * of_group + leaves_, trunk.to_group * of_group + leaves_, trunk.of(shape.global),
                trunk.cables, trunk.reach, trunk.name, LinkLevel::Kind::global);
    });
    return;
  }
  refuse_detours(shape.detour_share, "dragonfly+");
  for (int leaf = 0; leaf < all_leaves; ++leaf)
    for (int spine = 0; spine < spines_; ++spine)
      for (int cable = 0; cable < local_cables_; ++cable) {
        const int low = leaf / leaves_ * of_group + leaf % leaves_;
        const int high = leaf / leaves_ * of_group + leaves_ + spine;
        const std::string name = "/" + std::to_string(leaf) + "/" + std::to_string(spine) + "/" + std::to_string(cable);
        add_link(low, high, shape.local, "leaf-up" + name, LinkLevel::Kind::up);
        add_link(high, low, shape.local, "leaf-down" + name, LinkLevel::Kind::down);
      }
  first_global_ = static_cast<LinkId>(links().size());
  for (int group = 0; group < shape.groups; ++group)
    for (int other = 0; other < shape.groups; ++other)
      for (int cable = 0; cable < shape.global_cables && other != group; ++cable)
        add_link(group * of_group + leaves_ + between_.holder(group, other, cable),
                 other * of_group + leaves_ + between_.holder(other, group, cable), shape.global,
                 "global/" + std::to_string(group) + "/" + std::to_string(other) + "/" + std::to_string(cable),
                 LinkLevel::Kind::global);
}

void DragonflyPlus::route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const {
  const int from = leaf_of(from_node), to = leaf_of(to_node);
  if (from == to) return;
  const int from_group = from / leaves_, to_group = to / leaves_;
  if (trunks_) {
    into.push_back(static_cast<LinkId>(2 * from));
    trunks_->route(from_group, to_group, into);
    into.push_back(static_cast<LinkId>(2 * to + 1));
    return;
  }
  destination = chooser(from_node, destination);
  int up = static_cast<int>(destination % spines_), down = up;
  std::int64_t cable = destination / spines_;
  if (from_group != to_group) {
    const int global = static_cast<int>(destination % between_.cables);
    up = between_.holder(from_group, to_group, global);
    down = between_.holder(to_group, from_group, global);
    cable = destination / between_.cables;
    into.push_back(local(from, up, cable % local_cables_, true));
    into.push_back(first_global_ + static_cast<LinkId>(between_.index(from_group, to_group, global)));
  } else {
    into.push_back(local(from, up, cable % local_cables_, true));
  }
  into.push_back(local(to, down, cable % local_cables_, false));
}

}  // namespace tutti
