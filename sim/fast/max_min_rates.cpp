#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/fast/max_min_network.hpp"

// What each flow gets.

namespace tutti::fast {

void MaxMinNetwork::solve() {
  for (const Slot slot : fresh_) admit(slot);
  std::size_t left = 1000 * (links_.size() + 100);
  do {
    while (!to_correct_.empty()) {
      if (left-- == 0) throw std::logic_error("fast engine: the fair shares do not settle");
      const LinkId id = to_correct_.front().id;
      std::pop_heap(to_correct_.begin(), to_correct_.end());
      to_correct_.pop_back();
      links_[id].queued = false;
      correct(id);
    }
    note_next_ends();
  } while (!to_correct_.empty());
  for (const Slot slot : fresh_) note_duration(seconds_left(flows_[slot]));
  fresh_.clear();
}

double MaxMinNetwork::seconds_left(const Flow& flow) const {
  if (flow.group == kNone) return flow.end / flow.cap;
  const Group& group = groups_[flow.group];
  return (flow.end - got(group)) / rate(group);
}

/// Of the links of which something has changed.
void MaxMinNetwork::note_next_ends() {
  for (std::size_t i = 0; i < touched_.size(); ++i) {  // more may come
    const LinkId id = touched_[i];
    links_[id].touched = false;
    note_next_end(id);
  }
  touched_.clear();
}

/// A flow that has begun. In a new group, the link that would give it least holds it back, to begin with.
void MaxMinNetwork::admit(Slot slot) {
  Flow& flow = flows_[slot];
  flow.admitted = true;
  const GroupId id = group_for(slot);
  if (id == kNone) {
    ends_.put(end_of_flow(slot), now_ + flow.end / flow.cap);
    return;
  }
  if (groups_[id].ends.empty()) {
    LinkId by = kCap;
    double least = flow.cap;
    for (const GroupHop *hop = group_hops(id), *end = hop + groups_[id].hops; hop != end; ++hop) {
      const SharedLink& link = links_[hop->link];
      const double left = std::max(0.0, link.capacity - link.others) / (link.held + hop->times);
      if (left < least) least = left, by = hop->link;
    }
    if (by != kCap) {
      if (links_[by].held == 0) links_[by].level = least;
      hold_back(id, by);
    }
  }
  join(slot, id);
}

/// Gives those held back what the others leave, and takes over those that are faster. (Where a link has yet to be
/// corrected, its flows may be faster than their caps for the moment.)
void MaxMinNetwork::correct(LinkId id) {
  SharedLink& link = links_[id];
  const double least_change = negligible(link);
  if (link.held == 0 && link.others <= link.capacity * (1 + least_change)) return;
  double level = link.held > 0 ? (link.capacity - link.others) / link.held : 0;
  const auto is_as_before = [&] { return link.held > 0 && std::abs(level - link.level) <= least_change * level; };
  if (link.held > 0 && link.fastest <= level * (1 + least_change) && level <= link.least_cap) {
    if (!is_as_before()) set_level(id, level);
    return;
  }
  level = fair_level(id);
  if (is_as_before()) level = link.level;
  if (link.held == 0) link.level = level;
  serve(link);
  const double before = link.level;
  link.least_cap = kInfinity;
  link.fastest = 0;
  for (const Member& member : link.groups) {
    const double cap = member.cap, flows = member.flows, passing = flows * member.times,
                 speed = rate(member.bottleneck, cap);
    if (member.bottleneck == id) {
      if (cap < level) {
        let_go(member.group);
        note_end_at_cap(member.group);
        link.others += cap * passing;
        link.fastest = std::max(link.fastest, cap);
        add_loads(member.group, id, cap, (cap - before) * flows);
      } else {
        link.least_cap = std::min(link.least_cap, cap);
        if (level != before) add_loads(member.group, id, level, (level - before) * flows);
      }
    } else if (std::min(speed, cap) > level * (1 + least_change)) {
      const LinkId bottleneck = member.bottleneck;
      let_go(member.group);
      if (bottleneck != kCap) {
        links_[bottleneck].others += speed * flows * times(member.group, bottleneck);
        queue(bottleneck);
      }
      link.others -= speed * passing;
      add_loads(member.group, id, level, (level - speed) * flows);
      hold_back(member.group, id);
    } else {
      link.fastest = std::max(link.fastest, speed);
    }
  }
  link.level = level;
  touch(id);
}

/// The rate at which those held back here (or at their caps) and those who pass more slowly fill the link.
double MaxMinNetwork::fair_level(LinkId id) {
  const SharedLink& link = links_[id];
  wanted_.clear();
  double passing = 0;
  for (const Member& member : link.groups) {
    const double flows = static_cast<double>(member.flows) * member.times;
    wanted_.push_back(
        {member.bottleneck == id ? member.cap : std::min(member.cap, rate(member.bottleneck, member.cap)), flows});
    passing += flows;
  }
  double level = link.capacity / passing;
  for (;;) {
    double left = link.capacity, sharing = 0;
    for (const Wanted& wanted : wanted_) {
      if (wanted.rate <= level)
        left -= wanted.rate * wanted.flows;
      else
        sharing += wanted.flows;
    }
    if (sharing == 0) return level;
    const double next = left / sharing;
    if (next <= level) return level;
    level = next;
  }
}

/// Counts what the flows held back here have got until now.
inline void MaxMinNetwork::serve(SharedLink& link) {
  link.served += link.level * (now_ - link.since);
  link.since = now_;
}

/// A group that nothing but its cap limits, without an end yet.
inline void MaxMinNetwork::hold_back(GroupId id, LinkId by) {
  Group& group = groups_[id];
  SharedLink& link = links_[by];
  serve(link);
  if (link.held == 0) {
    link.served = 0;
    link.first_end = kInfinity;
    link.least_cap = kInfinity;
  }
  link.held += size(group) * times(id, by);
  link.least_cap = std::min(link.least_cap, group.cap);
  group.got = got(group) - link.served;
  group.bottleneck = by;
  if (link.first_end != kUnknown && !group.ends.empty())
    link.first_end = std::min(link.first_end, group.ends.top().key - group.got);
  tell_links(id);
  touch(by);
}

/// Nothing holds it back any more: its cap does, which is for the caller to see to.
inline void MaxMinNetwork::let_go(GroupId id) {
  Group& group = groups_[id];
  const LinkId by = group.bottleneck;
  if (keeps_holders_)
    for (const IntrusiveHeap::Entry& end : group.ends.entries()) note_holder(end.id, by);
  if (by == kCap) {
    ends_.remove(end_of_group(id));
    group.got = got(group);
  } else {
    SharedLink& link = links_[by];
    serve(link);
    if (group.ends.top().key - group.got <= link.first_end) link.first_end = kUnknown;
    group.got += link.served;
    link.held -= size(group) * times(id, by);
    touch(by);
  }
  group.since = now_;
  group.bottleneck = kCap;
  tell_links(id);
}

void MaxMinNetwork::set_level(LinkId id, double level) {
  SharedLink& link = links_[id];
  serve(link);
  const double by = level - link.level;
  link.level = level;
  for (const Member& member : link.groups)
    if (member.bottleneck == id) add_loads(member.group, id, level, by * member.flows);
  touch(id);
}

/// The group's flows have become faster by that much together and have now that rate, which is for all its links but
/// one to know.
inline void MaxMinNetwork::add_loads(GroupId id, LinkId except, double rate, double by) {
  for (const GroupHop *hop = group_hops(id), *end = hop + groups_[id].hops; hop != end; ++hop) {
    if (hop->link == except) continue;
    SharedLink& link = links_[hop->link];
    link.others += by * hop->times;
    link.fastest = std::max(link.fastest, rate);
    if (!link.queued && (link.held > 0 || link.others > link.capacity)) queue_anew(hop->link);
  }
}

/// How many flows pass, each as often as it does.
double MaxMinNetwork::passing(const SharedLink& link) {
  double flows = 0;
  for (const Member& member : link.groups) flows += static_cast<double>(member.flows) * member.times;
  return flows;
}

void MaxMinNetwork::queue_anew(LinkId id) {
  SharedLink& link = links_[id];
  link.queued = true;
  const double level = link.held > 0 ? (link.capacity - link.others) / link.held : link.capacity / passing(link);
  to_correct_.push_back({level, id});
  std::push_heap(to_correct_.begin(), to_correct_.end());
}

void MaxMinNetwork::touch_anew(LinkId id) {
  links_[id].touched = true;
  touched_.push_back(id);
}

}  // namespace tutti::fast
