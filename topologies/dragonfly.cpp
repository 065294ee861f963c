#include "topologies/dragonfly.hpp"

#include <limits>

#include "base/error.hpp"

namespace tutti {
namespace {

std::string joined(const std::string& level, int from, int to) {
  return level + "/" + std::to_string(from) + "/" + std::to_string(to);
}

}  // namespace

Dragonfly::Dragonfly(const DragonflyShape& shape)
    : nodes_per_router_(shape.nodes_per_router),
      slots_(shape.routers_per_chassis),
      chassis_(shape.chassis_per_group),
      routers_(0),
      between_{} {
  check_count(shape.groups, 1, "dragonfly: groups");
  check_count(shape.chassis_per_group, 1, "dragonfly: chassis per group");
  check_count(shape.routers_per_chassis, 1, "dragonfly: routers per chassis");
  check_count(shape.nodes_per_router, 1, "dragonfly: nodes per router");
  check_count(shape.global_cables, 1, "dragonfly: cables between two groups");
  const std::int64_t groups = shape.groups, routers = std::int64_t{slots_} * chassis_;
  check_count(routers, 1, "dragonfly: routers of a group");
  routers_ = static_cast<int>(routers);
  between_ = {shape.groups, routers_, shape.global_cables};
  check_count(routers * groups, 1, "dragonfly: routers");
  const int nodes = nodes_in(routers * groups * nodes_per_router_, shape.nodes, "dragonfly");
  if (slots_ > 1) check_channel(shape.local, "dragonfly: local cable");
  if (chassis_ > 1) check_channel(shape.chassis, "dragonfly: chassis cable");
  if (groups > 1) check_channel(shape.global, "dragonfly: global cable");
  check_count(routers * groups * (slots_ - 1), 0, "dragonfly: local links");
  check_count(routers * groups * (chassis_ - 1), 0, "dragonfly: chassis links");
  check_count(groups * (groups - 1), 0, "dragonfly: pairs of groups");
  check_count(groups * (groups - 1) * shape.global_cables, 0, "dragonfly: global links");

  set_size(nodes, static_cast<int>(routers * groups));
  set_routing(shape.routing);
  for (int router = 0; router < switches(); ++router) places_.push_back({router % routers_ / slots_, router % slots_});
  if (shape.routing == Routing::adaptive) {
    add_trunks(shape);
    return;
  }
  refuse_detours(shape.detour_share, "dragonfly");
  for (int from = 0; from < switches(); ++from)
    for (int slot = 0; slot < slots_; ++slot)
      if (const int to = from - from % slots_ + slot; to != from)
        add_link(from, to, shape.local, joined("local", from, to), LinkLevel::Kind::local);
  first_chassis_ = static_cast<LinkId>(links().size());
  for (int from = 0; from < switches(); ++from)
    for (int chassis = 0; chassis < chassis_; ++chassis)
      if (const int to = from - from % routers_ + chassis * slots_ + from % slots_; to != from)
        add_link(from, to, shape.chassis, joined("chassis", from, to), LinkLevel::Kind::chassis);
  first_global_ = static_cast<LinkId>(links().size());
  for (int group = 0; group < shape.groups; ++group)
    for (int other = 0; other < shape.groups; ++other)
      for (int cable = 0; cable < shape.global_cables && other != group; ++cable)
        add_link(group * routers_ + between_.holder(group, other, cable),
                 other * routers_ + between_.holder(other, group, cable), shape.global,
                 joined("global", group, other) + "/" + std::to_string(cable), LinkLevel::Kind::global);
}

// Of the links to the other routers of a row, each router has its own left out.
void Dragonfly::route_in_group(int from, int to, std::vector<LinkId>& into) const {
  const Place own = places_[from], other = places_[to];
  const int corner = from - own.slot + other.slot;
  if (other.slot != own.slot)
    into.push_back(static_cast<LinkId>(from * (slots_ - 1) + other.slot - (other.slot > own.slot)));
  if (other.chassis != own.chassis)
    into.push_back(first_chassis_ +
                   static_cast<LinkId>(corner * (chassis_ - 1) + other.chassis - (other.chassis > own.chassis)));
}

// The trunks out of the routers, then those into them. Inside a group that is one cable; between groups, where one
// cable on the way is the mean, a message waits for half of one in each.
void Dragonfly::add_trunks(const DragonflyShape& shape) {
  if (chassis_ > 1) throw InputError("dragonfly: expected one chassis in a group, as routing is adaptive");
  const int places = switches() * nodes_per_router_;
  Channel local = shape.local;
  local.latency_seconds /= 2;
  for (const bool out : {true, false})
    for (int router = 0; router < switches() && slots_ > 1; ++router) {
      const int first = router * nodes_per_router_, end = first + nodes_per_router_;
      const int other = router % routers_ == 0 ? router + 1 : router - router % routers_;
      add_trunk(out ? router : other, out ? other : router, local, slots_ - 1,
                out ? Reach{first, end, 0, places} : Reach{0, places, first, end},
                (out ? "local/out/" : "local/in/") + std::to_string(router), LinkLevel::Kind::local);
    }
  trunks_ = GroupTrunks{shape.groups, static_cast<LinkId>(links().size()), shape.detour_share};
  trunks_->each(shape.global_cables, routers_ * nodes_per_router_, "dragonfly", [&](const GroupTrunks::Trunk& trunk) {
    add_trunk(trunk.from_group * routers_, trunk.to_group * routers_, trunk.of(shape.global), trunk.cables, trunk.reach,
              trunk.name, LinkLevel::Kind::global);
  });
}

/// Between two groups, counted from the first: of those with the fewest hops inside the groups, the chosen one.
int Dragonfly::global_cable(int from, int to, std::int64_t destination) const {
  const int from_group = from / routers_, to_group = to / routers_;
  const auto hops = [&](int cable) {
    return hops_in_group(from, from_group * routers_ + between_.holder(from_group, to_group, cable)) +
           hops_in_group(to_group * routers_ + between_.holder(to_group, from_group, cable), to);
  };
  int fewest = std::numeric_limits<int>::max(), equal = 0;
  for (int cable = 0; cable < between_.cables; ++cable) {
    const int here = hops(cable);
    if (here < fewest) fewest = here, equal = 0;
    equal += here == fewest;
  }
  auto skip = destination % equal;
  int chosen = 0;
  while (hops(chosen) != fewest || skip-- > 0) ++chosen;
  return chosen;
}

void Dragonfly::route(int from_node, int to_node, std::int64_t destination, std::vector<LinkId>& into) const {
  const int from = switch_of(from_node), to = switch_of(to_node);
  if (from == to) return;
  const int from_group = from / routers_, to_group = to / routers_;
  if (trunks_) {
    if (slots_ > 1) into.push_back(static_cast<LinkId>(from));
    trunks_->route(from_group, to_group, into);
    if (slots_ > 1) into.push_back(static_cast<LinkId>(switches() + to));
    return;
  }
  if (from_group == to_group) return route_in_group(from, to, into);
  const int cable = global_cable(from, to, chooser(from_node, destination));
  route_in_group(from, from_group * routers_ + between_.holder(from_group, to_group, cable), into);
  into.push_back(first_global_ + static_cast<LinkId>(between_.index(from_group, to_group, cable)));
  route_in_group(to_group * routers_ + between_.holder(to_group, from_group, cable), to, into);
}

}  // namespace tutti
