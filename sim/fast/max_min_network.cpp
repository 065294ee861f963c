#include "sim/fast/max_min_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tutti::fast {
namespace {

/// Times nearer to each other than half a step of the Simulation's grid, or than what the clock tells apart, are one
/// instant.
double resolution(double seconds) { return 2.8e-14 * std::max(1.0, seconds); }

}  // namespace

MaxMinNetwork::MaxMinNetwork(const Machine& machine, const std::vector<bool>& can_fill, std::size_t many_flows)
    : network_(*machine.network),
      can_fill_(can_fill),
      lane_capacity_(machine.congestion_trees ? lane_bandwidth(network_) : 0),
      many_flows_(many_flows),
      links_(network_.links().size() + (machine.congestion_trees ? static_cast<std::size_t>(network_.nodes()) : 0)),
      traffic_(links_.size()) {}

void MaxMinNetwork::open(LinkId id) {
  const std::span<const Link> links = network_.links();
  const bool is_lane = id >= links.size();  // they follow the machine's links
  traffic_[id].capacity = links_[id].capacity = is_lane ? lane_capacity_ : links[id].bandwidth_bytes_per_second;
  traffic_[id].shared = is_lane || (can_fill_.empty() ? links[id].shared : can_fill_[id]);
}

void MaxMinNetwork::set_capacity(LinkId id, double bytes_per_second) {
  Traffic& traffic = opened(id);
  if (!traffic.shared) throw std::logic_error("MaxMinNetwork: a link that flows do not share keeps its capacity");
  links_[id].capacity = std::min(bytes_per_second, traffic.capacity);
  traffic.narrowed = links_[id].capacity < traffic.capacity;
  if (!traffic.saturable && is_too_much_wanted(traffic)) set_saturable(id);
  if (!traffic.saturable) return;
  queue(id);
  touch(id);
}

void MaxMinNetwork::wake_at(double seconds) { wake_at_ = std::min(wake_at_, seconds); }

MaxMinNetwork::Slot MaxMinNetwork::new_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(flows_.size()));
    flows_.emplace_back();
    hops_.resize(flows_.size() * stride_);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

void MaxMinNetwork::start(std::uint32_t name, int /*from_core*/, int /*to_core*/, std::span<const LinkId> links,
                          std::int64_t bytes, double rate_cap) {
  if (links.size() > stride_) widen(hops_, stride_, links.size());
  const Slot slot = new_slot();
  Hop* const mine = hops(slot);
  double cap = rate_cap, narrowest = kInfinity;
  std::uint32_t shared = 0, first = 0, last = 0;  // the shared links; of the narrowest of these, the first and the last
  bool repeats = false;
  ++started_;
  for (const LinkId id : links) {
    Traffic& link = opened(id);
    link.flows.fetch_end();
    link.feeders.fetch_end();
    cap = std::min(cap, link.capacity);
    if (!link.shared) continue;
    if (link.capacity < narrowest) narrowest = link.capacity, first = shared;
    if (link.capacity == narrowest) last = shared;
    repeats |= link.last_started == started_;
    link.last_started = started_;
    mine[shared++].link = id;
  }
  const LinkId first_narrow = shared > 0 ? mine[first].link : kCap, last_narrow = shared > 0 ? mine[last].link : kCap;
  Flow& flow = flows_[slot];
  flow.name = name;
  flow.group = kNone;
  flow.admitted = false;
  flow.repeats = repeats;
  flow.hops = shared;
  flow.cap = cap;
  flow.end = static_cast<double>(bytes);
  flow.since = now_;
  for (std::uint32_t i = 0; i < shared; ++i) {
    const LinkId id = mine[i].link;
    Traffic& link = traffic_[id];
    if (link.saturable) continue;
    const bool again =
        repeats && std::find_if(mine, mine + i, [id](const Hop& hop) { return hop.link == id; }) != mine + i;
    // The narrow link that is nearest; where several are as narrow as can be, never this one for that one and that one
    // for this. What comes through a narrow link once may come here twice.
    LinkId feeder = repeats || i == last ? kCap : i < first ? first_narrow : last_narrow;
    feeder = want(link, feeder, cap);
    mine[i] = {id, feeder, static_cast<std::uint32_t>(link.flows.size())};
    link.flows.push_back({slot, i, again}, memory_);
    if (is_too_much_wanted(link)) set_saturable(id);
  }
  fresh_.push_back(slot);
  if (many_) correct_at_ = std::min(correct_at_, now_ + kPatience * flow.end / likely_rate(links, cap));
  if (!keeps_holders_) return;
  if (holders_.size() <= slot) holders_.resize(slot + 1);
  holders_[slot].clear();
}

/// By what the links give those whom they hold back now.
double MaxMinNetwork::likely_rate(std::span<const LinkId> links, double cap) const {
  double rate = cap;
  for (const LinkId id : links)
    if (traffic_[id].saturable && links_[id].held > 0) rate = std::min(rate, links_[id].level);
  return rate;
}

void MaxMinNetwork::run(FlowListener& listener) {
  for (;;) {
    many_ = flows_.size() - free_.size() > many_flows_;
    if (!many_ || now_ >= correct_at_) {
      solve();
      correct_at_ = now_ + kPatience * shortest_;
    } else {
      note_next_ends();
    }
    double next = std::min(wake_at_, ends_.empty() ? wake_at_ : ends_.top_key());
    if (!fresh_.empty() || !to_correct_.empty()) next = std::min(next, correct_at_);
    if (std::isinf(next)) return;
    now_ = std::max(now_, next);
    const double instant = now_ + resolution(now_);
    finish_due(many_ ? std::max(instant, now_ + kPatience * shortest_) : instant, listener);
    for (const Slot slot : finished_) {
      told_ = slot;
      listener.flow_finished(flows_[slot].name);
    }
    free_.insert(free_.end(), finished_.begin(), finished_.end());
    finished_.clear();
    if (wake_at_ <= instant) {
      wake_at_ = kInfinity;
      listener.wake();
    }
  }
}

// --- ends

void MaxMinNetwork::finish_due(double instant, FlowListener& listener) {
  while (!ends_.empty() && ends_.top_key() <= instant) {
    const std::uint32_t first = ends_.top();
    const auto links = static_cast<std::uint32_t>(links_.size());
    if (first < links) {
      SharedLink& link = links_[first];
      serve(link);
      const double served = std::max(link.served + link.level * (instant - now_), link.first_end);
      due_.clear();
      for (const Member& member : link.groups)
        if (member.bottleneck == first && member.first_end <= served) due_.push_back(member.group);
      for (const GroupId id : due_) {
        const Group& group = groups_[id];
        while (!group.ends.empty() && group.ends.top().key - group.got <= served) finish(group.ends.top().id, listener);
      }
      ends_.remove(first);  // until the rates are known
    } else if ((first - links) % 2 == 0) {
      finish((first - links) / 2, listener);
    } else {
      const Group& group = groups_[(first - links) / 2];
      const double got = std::max(group.got + group.cap * (instant - group.since), group.ends.top().key);
      while (!group.ends.empty() && group.ends.top().key <= got) finish(group.ends.top().id, listener);
    }
  }
}

void MaxMinNetwork::finish(Slot slot, FlowListener& listener) {
  const Flow& flow = flows_[slot];
  finished_.push_back(slot);
  listener.flow_finishes(flow.name);
  for (std::uint32_t i = 0; i < flow.hops; ++i) __builtin_prefetch(&traffic_[hops(slot)[i].link]);
  if (flow.group == kNone) {
    note_holder(slot, kCap);
    ends_.remove(end_of_flow(slot));
  } else {
    note_duration(now_ - flow.since);
    leave(slot);
  }
  for (std::uint32_t i = 0; i < flow.hops; ++i) {
    const Hop hop = hops(slot)[i];
    Traffic& link = traffic_[hop.link];
    if (link.saturable) continue;
    const Passing moved = link.flows.back();
    link.flows.pop_back();
    if (moved.slot != slot || moved.hop != i) {
      link.flows[hop.place] = moved;
      hops(moved.slot)[moved.hop].place = hop.place;
    }
    want_no_more(link, hop.feeder, flow.cap);
  }
}

void MaxMinNetwork::note_next_end(LinkId id) {
  SharedLink& link = links_[id];
  if (link.held == 0) return ends_.remove(id);
  if (link.first_end == kUnknown) {
    link.first_end = kInfinity;
    for (const Member& member : link.groups)
      if (member.bottleneck == id) link.first_end = std::min(link.first_end, member.first_end);
  }
  ends_.put(id, link.since + std::max(0.0, link.first_end - link.served) / link.level);
}

/// Of a group that its cap limits.
void MaxMinNetwork::note_end_at_cap(GroupId id) {
  const Group& group = groups_[id];
  if (group.ends.empty()) return ends_.remove(end_of_group(id));
  ends_.put(end_of_group(id), group.since + std::max(0.0, group.ends.top().key - group.got) / group.cap);
}

/// That link has held the flow back until now.
void MaxMinNetwork::note_holder(Slot slot, LinkId link) {
  if (!keeps_holders_) return;
  Flow& flow = flows_[slot];
  if (now_ > flow.since) holders_[slot].push_back({link, now_ - flow.since});
  flow.since = now_;
}

}  // namespace tutti::fast
