#include "sim/fast/flows.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::fast {
namespace {

/// Times nearer to each other than a few femtoseconds, or than what the clock tells apart, are one instant.
double resolution(double seconds) { return 4e-15 * std::max(1.0, seconds); }

}  // namespace

Flows::Flows(const Machine& machine) : network_(*machine.network), links_(machine.network->links().size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i].capacity = network_.links()[i].bandwidth_bytes_per_second;
}

void Flows::start(std::uint32_t name, int from_core, int to_core, std::int64_t bytes, double rate_cap) {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(flows_.size()));
    flows_.emplace_back();
    decided_.push_back(0);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  Flow& flow = flows_[slot];
  flow.name = name;
  flow.cap = rate_cap;
  flow.rate = 0;
  flow.left_bytes = static_cast<double>(bytes);
  flow.since = now_;
  flow.links.clear();
  flow.place.clear();
  network_.route(from_core, to_core, route_);
  for (const LinkId id : route_) {
    if (!network_.links()[id].shared) {
      flow.cap = std::min(flow.cap, links_[id].capacity);
      continue;
    }
    flow.links.push_back(id);
    flow.place.push_back(static_cast<std::uint32_t>(links_[id].flows.size()));
    links_[id].flows.push_back(slot);
    change(id);
  }
  if (flow.links.empty()) alone_.push_back(slot);
}

void Flows::wake_at(double seconds) { wake_at_ = std::min(wake_at_, seconds); }

void Flows::run(FlowListener& listener) {
  for (;;) {
    solve();
    const double next = std::min(wake_at_, ends_.empty() ? wake_at_ : ends_.top_key());
    if (std::isinf(next)) return;
    now_ = std::max(now_, next);
    const double instant = now_ + resolution(now_);
    finished_.clear();
    while (!ends_.empty() && ends_.top_key() <= instant) {
      finished_.push_back(flows_[ends_.top()].name);
      finish(ends_.top());
    }
    for (const std::uint32_t name : finished_) listener.flow_finished(name);
    if (wake_at_ <= instant) {
      wake_at_ = std::numeric_limits<double>::infinity();
      listener.wake();
    }
  }
}

void Flows::finish(Slot slot) {
  Flow& flow = flows_[slot];
  ends_.remove(slot);
  for (std::size_t i = 0; i < flow.links.size(); ++i) {
    std::vector<Slot>& others = links_[flow.links[i]].flows;
    const Slot moved = others.back();
    others[flow.place[i]] = moved;
    others.pop_back();
    if (moved != slot) {
      Flow& other = flows_[moved];
      const auto at = std::find(other.links.begin(), other.links.end(), flow.links[i]) - other.links.begin();
      other.place[static_cast<std::size_t>(at)] = flow.place[i];
    }
    change(flow.links[i]);
  }
  free_.push_back(slot);
}

void Flows::change(LinkId link) {
  if (links_[link].changed) return;
  links_[link].changed = true;
  changed_.push_back(link);
}

/// Fills up: the link whose flows would get least decides first, then the next with what is left. What a link gives to
/// each of its undecided flows only grows meanwhile.
void Flows::solve() {
  for (const Slot slot : alone_) set_rate(slot, flows_[slot].cap);
  alone_.clear();
  if (changed_.empty()) return;
  gather();
  std::sort(component_flows_.begin(), component_flows_.end(),
            [&](Slot a, Slot b) { return flows_[a].cap != flows_[b].cap ? flows_[a].cap < flows_[b].cap : a < b; });
  auto next_cap = component_flows_.begin();
  double level = 0;
  while (!shares_.empty()) {
    while (next_cap != component_flows_.end() && decided_[*next_cap]) ++next_cap;
    if (next_cap != component_flows_.end() && flows_[*next_cap].cap <= shares_.top_key()) {
      level = std::max(level, flows_[*next_cap].cap);
      decide(*next_cap, flows_[*next_cap].cap);
      continue;
    }
    const LinkId tightest = shares_.top();
    // Rounding must not make it less than what others got before.
    level = std::max(level, shares_.top_key());
    for (const Slot slot : links_[tightest].flows)
      if (!decided_[slot]) decide(slot, level);
    shares_.remove(tightest);
  }
}

/// All links and flows that the changed links are connected with.
void Flows::gather() {
  ++round_;
  component_links_.clear();
  component_flows_.clear();
  const auto meet = [&](LinkId id) {
    SharedLink& link = links_[id];
    if (link.seen == round_) return;
    link.seen = round_;
    link.left = link.capacity;
    link.undecided = static_cast<std::uint32_t>(link.flows.size());
    component_links_.push_back(id);
    if (link.undecided > 0) shares_.put(id, link.left / link.undecided);
  };
  for (const LinkId id : changed_) {
    links_[id].changed = false;
    meet(id);
  }
  changed_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i)
    for (const Slot slot : links_[component_links_[i]].flows) {
      if (flows_[slot].seen == round_) continue;
      flows_[slot].seen = round_;
      decided_[slot] = 0;
      component_flows_.push_back(slot);
      for (const LinkId id : flows_[slot].links) meet(id);
    }
}

void Flows::decide(Slot slot, double rate) {
  decided_[slot] = 1;
  for (const LinkId id : flows_[slot].links) {
    SharedLink& link = links_[id];
    link.left -= rate;
    if (--link.undecided > 0)
      shares_.put(id, std::max(link.left / link.undecided, rate));
    else
      shares_.remove(id);
  }
  set_rate(slot, rate);
}

void Flows::set_rate(Slot slot, double rate) {
  Flow& flow = flows_[slot];
  if (flow.rate == rate) return;
  flow.left_bytes = std::max(0.0, flow.left_bytes - flow.rate * (now_ - flow.since));
  flow.since = now_;
  flow.rate = rate;
  ends_.put(slot, now_ + flow.left_bytes / rate);
}

}  // namespace tutti::fast
