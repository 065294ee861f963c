#include <algorithm>
#include <bit>

#include "sim/fast/max_min_network.hpp"

// Which flows belong together: those that pass the same saturable links, equally often, below the same cap.

namespace tutti::fast {

/// Bytes that each of the group has got since that began.
inline double MaxMinNetwork::got(const Group& group) const {
  if (group.bottleneck == kCap) return group.got + group.cap * (now_ - group.since);
  const SharedLink& link = links_[group.bottleneck];
  return group.got + link.served + link.level * (now_ - link.since);
}

/// How often each of the group passes the link, which is saturable.
inline std::uint32_t MaxMinNetwork::times(GroupId id, LinkId link) {
  const GroupHop* hop = group_hops(id);
  while (hop->link != link) ++hop;
  return hop->times;
}

/// Whether the group is for flows as in described_.
inline bool MaxMinNetwork::is_described(const Group& group, GroupId id, double cap) {
  return group.cap == cap && group.hops == described_.size() &&
         std::equal(described_.begin(), described_.end(), group_hops(id),
                    [](const GroupHop& a, const GroupHop& b) { return a.link == b.link && a.times == b.times; });
}

/// Perhaps a new one, whose flows are as fast as their cap. kNone: nothing that the flow passes is saturable.
MaxMinNetwork::GroupId MaxMinNetwork::group_for(Slot slot) {
  const Flow& flow = flows_[slot];
  described_.clear();
  for (const Hop *hop = hops(slot), *end = hop + flow.hops; hop != end; ++hop) {
    if (!traffic_[hop->link].saturable) continue;
    GroupHop* other = described_.data() + described_.size();
    if (flow.repeats)
      other = std::find_if(described_.data(), other, [&](const GroupHop& o) { return o.link == hop->link; });
    if (other == described_.data() + described_.size())
      described_.push_back({hop->link, 1, 0});
    else
      ++other->times;
  }
  if (described_.empty()) return kNone;
  auto key = std::bit_cast<std::uint64_t>(flow.cap);
  for (const GroupHop& hop : described_)
    key = (std::rotl(key, 23) ^ (std::uint64_t{hop.times} << 32 | hop.link)) * 0x9E3779B97F4A7C15u;
  for (key >>= 1;; ++key) {  // whoever has the key by chance is passed by
    const auto* const known = group_of_key_.find({key});
    if (!known) return new_group(key, flow.cap);
    if (is_described(groups_[known->value], known->value, flow.cap)) return known->value;
  }
}

MaxMinNetwork::GroupId MaxMinNetwork::new_group(std::uint64_t key, double cap) {
  const GroupId id = groups_.take();
  if (described_.size() > group_stride_) widen(group_hops_, group_stride_, described_.size());
  if (group_hops_.size() < groups_.size() * group_stride_) group_hops_.resize(groups_.size() * group_stride_);
  group_of_key_.at({key}).value = id;
  Group& group = groups_[id];
  group.cap = cap;
  group.bottleneck = kCap;
  group.hops = 0;
  group.got = 0;
  group.since = now_;
  group.key = key;
  for (const GroupHop& hop : described_) {
    SharedLink& link = links_[hop.link];
    group_hops(id)[group.hops] = {hop.link, hop.times, static_cast<std::uint32_t>(link.groups.size())};
    link.groups.push_back(
        {cap, kInfinity, id, kCap, 0, static_cast<std::uint16_t>(group.hops++), static_cast<std::uint16_t>(hop.times)},
        memory_);
  }
  return id;
}

/// No flow is in it any more.
void MaxMinNetwork::dissolve(GroupId id) {
  for (std::uint32_t i = 0; i < groups_[id].hops; ++i) {
    const GroupHop& hop = group_hops(id)[i];
    ArenaVector<Member>& members = links_[hop.link].groups;
    const Member moved = members.back();
    members.pop_back();
    if (members.empty()) links_[hop.link].others = 0;  // so that rounding does not add up
    if (moved.group == id) continue;
    members[hop.place] = moved;
    group_hops(moved.group)[moved.hop].place = hop.place;
  }
  group_of_key_.erase(*group_of_key_.find({groups_[id].key}));
  groups_.give_back(id);
}

/// Who is in the group, or what holds it back, has changed.
void MaxMinNetwork::tell_links(GroupId id) {
  const Group& group = groups_[id];
  const double first_end = group.ends.empty() ? kInfinity : group.ends.top().key - group.got;
  for (const GroupHop *hop = group_hops(id), *end = hop + group.hops; hop != end; ++hop) {
    Member& member = links_[hop->link].groups[hop->place];
    member.first_end = first_end;
    member.bottleneck = group.bottleneck;
    member.flows = size(group);
  }
}

/// The flow, which has no group and bytes left, gets what the group gets. The rates are to be corrected.
void MaxMinNetwork::join(Slot slot, GroupId id) {
  Flow& flow = flows_[slot];
  Group& group = groups_[id];
  flow.group = id;
  flow.since = now_;
  flow.end += got(group);
  group.ends.add({flow.end, slot}, place());
  const LinkId by = group.bottleneck;
  const double speed = rate(group);
  if (by == kCap) {
    if (group.ends.top().id == slot) note_end_at_cap(id);
  } else {
    SharedLink& link = links_[by];
    link.held += times(id, by);
    if (link.first_end != kUnknown) link.first_end = std::min(link.first_end, flow.end - group.got);
    link.least_cap = std::min(link.least_cap, group.cap);
    touch(by);
    queue(by);
  }
  tell_links(id);
  add_loads(id, by, speed, speed);
}

/// The flow has no group any more. The rates are to be corrected.
void MaxMinNetwork::leave(Slot slot) {
  Flow& flow = flows_[slot];
  const GroupId id = flow.group;
  Group& group = groups_[id];
  const LinkId by = group.bottleneck;
  const double speed = rate(group);
  note_holder(slot, by);
  const bool first = group.ends.top().id == slot;
  group.ends.remove(slot, place());
  if (by == kCap) {
    if (first) note_end_at_cap(id);
  } else {
    SharedLink& link = links_[by];
    link.held -= times(id, by);
    if (flow.end - group.got <= link.first_end) link.first_end = kUnknown;
    touch(by);
    if (link.held > 0) queue(by);
  }
  flow.end = std::max(0.0, flow.end - got(group));
  flow.since = now_;
  flow.group = kNone;
  add_loads(id, by, speed, -speed);
  if (group.ends.empty())
    dissolve(id);
  else
    tell_links(id);
}

/// A link that the flow passes has become saturable.
void MaxMinNetwork::regroup(Slot slot, LinkId changed) {
  Flow& flow = flows_[slot];
  const GroupId from = flow.group, to = group_for(slot);
  if (from == kNone) {
    flow.end = std::max(0.0, flow.end - flow.cap * (now_ - flow.since));
    note_holder(slot, kCap);
    ends_.remove(end_of_flow(slot));
    return join(slot, to);
  }
  Group &old = groups_[from], &group = groups_[to];
  if (group.ends.empty()) {  // a new one goes on as its first flow did
    group.bottleneck = old.bottleneck;
    group.got = old.got;
    group.since = old.since;
  } else if (group.bottleneck != old.bottleneck) {
    leave(slot);
    return join(slot, to);
  }
  // Nothing is another but the group.
  old.ends.remove(slot, place());
  flow.end += got(group) - got(old);
  flow.group = to;
  group.ends.add({flow.end, slot}, place());
  tell_links(from);
  tell_links(to);
  if (old.bottleneck == kCap) {
    note_end_at_cap(from);
    note_end_at_cap(to);
  } else {
    links_[old.bottleneck].first_end = kUnknown;  // the same but for rounding
    touch(old.bottleneck);
  }
  links_[changed].others += rate(group) * times(to, changed);
  if (old.ends.empty()) dissolve(from);
}

}  // namespace tutti::fast
