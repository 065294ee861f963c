#include "sim/fast/flows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tutti::fast {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Times nearer to each other than half a step of the Simulation's grid, or than what the clock tells apart, are one
/// instant.
double resolution(double seconds) { return 2.8e-14 * std::max(1.0, seconds); }

}  // namespace

Flows::Flows(const Machine& machine) : links_(machine.network->links().size()) {
  const auto links = machine.network->links();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].capacity = links[i].bandwidth_bytes_per_second;
    links_[i].shared = links[i].shared;
  }
}

void Flows::wake_at(double seconds) { wake_at_ = std::min(wake_at_, seconds); }

Flows::Slot Flows::new_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(flows_.size()));
    flows_.emplace_back();
    hops_.resize(flows_.size() * stride_);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

void Flows::start(std::uint32_t name, int /*from_core*/, int /*to_core*/, std::span<const LinkId> links,
                  std::int64_t bytes, double rate_cap) {
  if (links.size() > stride_) {
    std::vector<Hop> wider(flows_.size() * links.size());
    for (std::size_t i = 0; i < hops_.size(); ++i) wider[i / stride_ * links.size() + i % stride_] = hops_[i];
    stride_ = links.size();
    hops_ = std::move(wider);
  }
  const Slot slot = new_slot();
  Hop* const mine = hops(slot);
  double cap = rate_cap, narrowest = kInfinity;
  std::uint32_t shared = 0, first = 0, last = 0;  // the shared links; of the narrowest of these, the first and the last
  bool repeats = false;
  ++started_;
  for (const LinkId id : links) {
    SharedLink& link = links_[id];
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
  flow.bottleneck = kCap;
  flow.admitted = false;
  flow.repeats = repeats;
  flow.hops = shared;
  flow.counting = 0;
  flow.cap = cap;
  flow.left_bytes = static_cast<double>(bytes);
  flow.since = now_;
  for (std::uint32_t i = 0; i < shared; ++i) {
    const LinkId id = mine[i].link;
    SharedLink& link = links_[id];
    const bool again =
        repeats && std::find_if(mine, mine + i, [id](const Hop& hop) { return hop.link == id; }) != mine + i;
    // The narrow link that is nearest; where several are as narrow as can be, never this one for that one and that one
    // for this. What comes through a narrow link once may come here twice.
    LinkId feeder = repeats || i == last ? kCap : i < first ? first_narrow : last_narrow;
    feeder = want(link, feeder, cap);
    mine[i] = {id, feeder, static_cast<std::uint32_t>(link.flows.size())};
    link.flows.push_back({slot, i, again});
    if (link.counts)
      swap_hops(slot, i, flow.counting++);
    else if (must_count(link))
      count(link);
  }
  fresh_.push_back(slot);
  if (!keeps_holders_) return;
  if (holders_.size() <= slot) holders_.resize(slot + 1);
  holders_[slot].clear();
}

void Flows::run(FlowListener& listener) {
  for (;;) {
    solve();
    const double next = std::min(wake_at_, ends_.empty() ? wake_at_ : ends_.top_key());
    if (std::isinf(next)) return;
    now_ = std::max(now_, next);
    const double instant = now_ + resolution(now_);
    finish_due(instant);
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

void Flows::finish_due(double instant) {
  while (!ends_.empty() && ends_.top_key() <= instant) {
    const std::uint32_t id = ends_.top();
    if (id >= links_.size()) {
      finish(static_cast<Slot>(id - links_.size()));
      continue;
    }
    SharedLink& link = links_[id];
    serve(link);
    const double served = std::max(link.served + link.level * (instant - now_), link.first_end);
    due_.clear();
    for (const Passing& passing : link.flows)
      if (const Flow& flow = flows_[passing.slot]; flow.bottleneck == id && flow.left_bytes <= served && !passing.again)
        due_.push_back(passing.slot);
    for (const Slot slot : due_) finish(slot);
    ends_.remove(id);  // until the rates are known
  }
}

void Flows::finish(Slot slot) {
  Flow& flow = flows_[slot];
  finished_.push_back(slot);
  const double speed = rate(flow);
  const LinkId bottleneck = flow.bottleneck;
  let_go(slot);
  for (std::uint32_t i = 0; i < flow.hops; ++i) {
    const Hop hop = hops(slot)[i];
    SharedLink& link = links_[hop.link];
    const Passing moved = link.flows.back();
    link.flows.pop_back();
    if (moved.slot != slot || moved.hop != i) {
      link.flows[hop.place] = moved;
      hops(moved.slot)[moved.hop].place = hop.place;
    }
    if (i < flow.counting) {
      if (hop.link != bottleneck) link.others -= speed;
      if (link.held > 0) queue(hop.link);
    }
    want_no_more(link, hop.feeder, flow.cap);
  }
}

/// Counts what the flows held back here have got until now.
inline void Flows::serve(SharedLink& link) {
  link.served += link.level * (now_ - link.since);
  link.since = now_;
}

void Flows::note_next_end(LinkId id) {
  SharedLink& link = links_[id];
  if (link.held == 0) return ends_.remove(id);
  if (link.first_end == kUnknown) find_first_end(id);
  ends_.put(id, link.since + std::max(0.0, link.first_end - link.served) / link.level);
}

void Flows::find_first_end(LinkId id) {
  double first = kInfinity;
  for (const Passing& passing : links_[id].flows)
    if (const Flow& flow = flows_[passing.slot]; flow.bottleneck == id) first = std::min(first, flow.left_bytes);
  links_[id].first_end = first;
}

// --- rates

void Flows::solve() {
  for (const Slot slot : fresh_) admit(slot);
  fresh_.clear();
  std::size_t left = 1000 * (links_.size() + 100);
  while (!to_correct_.empty()) {
    if (left-- == 0) throw std::logic_error("fast engine: the fair shares do not settle");
    const LinkId id = to_correct_.front().id;
    std::pop_heap(to_correct_.begin(), to_correct_.end());
    to_correct_.pop_back();
    links_[id].queued = false;
    correct(id);
  }
  for (const LinkId id : touched_) {
    links_[id].touched = false;
    note_next_end(id);
    if (links_[id].counts && !must_count(links_[id])) count_no_more(links_[id]);
  }
  touched_.clear();
}

/// A flow that has begun: the link that would give it least holds it back, to begin with.
void Flows::admit(Slot slot) {
  Flow& flow = flows_[slot];
  flow.admitted = true;
  LinkId by = kCap;
  double least = flow.cap;
  for (std::uint32_t i = 0; i < flow.counting; ++i) {
    const SharedLink& link = links_[hops(slot)[i].link];
    const double left = std::max(0.0, link.capacity - link.others) / (link.held + times(slot, hops(slot)[i].link));
    if (left < least) least = left, by = hops(slot)[i].link;
  }
  if (by == kCap) {
    ends_.put(static_cast<std::uint32_t>(links_.size() + slot), now_ + flow.left_bytes / flow.cap);
    add_loads(slot, kCap, flow.cap, flow.cap);
    return;
  }
  SharedLink& link = links_[by];
  if (link.held == 0) link.level = least;
  const double speed = link.level;
  add_loads(slot, by, speed, speed);
  hold_back(slot, by);
  queue(by);
}

/// Gives those held back what the others leave, and takes over those that are faster. (Where a link has yet to be
/// corrected, its flows may be faster than their caps for the moment.)
void Flows::correct(LinkId id) {
  SharedLink& link = links_[id];
  if (link.held == 0 && link.others <= link.capacity * (1 + kNegligible)) return;
  double level = link.held > 0 ? (link.capacity - link.others) / link.held : 0;
  const auto is_as_before = [&] { return link.held > 0 && std::abs(level - link.level) <= kNegligible * level; };
  if (link.held > 0 && link.fastest <= level * (1 + kNegligible) && level <= link.least_cap) {
    if (!is_as_before()) set_level(id, level);
    return;
  }
  level = fair_level(link);
  if (is_as_before()) level = link.level;
  if (link.held == 0) link.level = level;
  serve(link);
  const double before = link.level;
  link.least_cap = kInfinity;
  link.fastest = 0;
  for (const Passing& passing : link.flows) {
    if (passing.again) continue;
    const Slot slot = passing.slot;
    Flow& flow = flows_[slot];
    const double speed = rate(flow);
    if (flow.bottleneck == id) {
      if (flow.cap < level) {
        let_go(slot);
        ends_.put(static_cast<std::uint32_t>(links_.size() + slot), now_ + flow.left_bytes / flow.cap);
        link.others += flow.cap * times(slot, id);
        link.fastest = std::max(link.fastest, flow.cap);
        add_loads(slot, id, flow.cap, flow.cap - before);
      } else {
        link.least_cap = std::min(link.least_cap, flow.cap);
        if (level != before) add_loads(slot, id, level, level - before);
      }
    } else if (std::min(speed, flow.cap) > level * (1 + kNegligible)) {
      const LinkId bottleneck = flow.bottleneck;
      let_go(slot);
      if (bottleneck != kCap) {
        links_[bottleneck].others += speed * times(slot, bottleneck);
        queue(bottleneck);
      }
      link.others -= speed * times(slot, id);
      add_loads(slot, id, level, level - speed);
      hold_back(slot, id);
    } else {
      link.fastest = std::max(link.fastest, speed);
    }
  }
  link.level = level;
  touch(id);
}

/// The rate at which those held back here (or at their caps) and those who pass more slowly fill the link.
double Flows::fair_level(const SharedLink& link) {
  wanted_.resize(link.flows.size());
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const Flow& flow = flows_[link.flows[i].slot];
    const bool held = flow.bottleneck != kCap && &links_[flow.bottleneck] == &link;
    wanted_[i] = held ? flow.cap : std::min(flow.cap, rate(flow));
  }
  double level = link.capacity / static_cast<double>(wanted_.size());
  for (;;) {
    double left = link.capacity;
    std::size_t sharing = 0;
    for (const double wanted : wanted_) {
      if (wanted <= level)
        left -= wanted;
      else
        ++sharing;
    }
    if (sharing == 0) return level;
    const double next = left / static_cast<double>(sharing);
    if (next <= level) return level;
    level = next;
  }
}

inline void Flows::hold_back(Slot slot, LinkId by) {
  Flow& flow = flows_[slot];
  SharedLink& link = links_[by];
  serve(link);
  if (link.held == 0) {
    link.served = 0;
    link.first_end = kInfinity;
    link.least_cap = kInfinity;
  }
  link.held += times(slot, by);
  link.least_cap = std::min(link.least_cap, flow.cap);
  flow.bottleneck = by;
  flow.since = now_;
  flow.left_bytes += link.served;
  if (link.first_end != kUnknown) link.first_end = std::min(link.first_end, flow.left_bytes);
  touch(by);
}

/// Nothing holds it back any more: its cap does, which is for the caller to see to.
inline void Flows::let_go(Slot slot) {
  Flow& flow = flows_[slot];
  if (keeps_holders_ && now_ > flow.since) holders_[slot].push_back({flow.bottleneck, now_ - flow.since});
  if (flow.bottleneck == kCap) {
    ends_.remove(static_cast<std::uint32_t>(links_.size() + slot));
    flow.left_bytes = std::max(0.0, flow.left_bytes - flow.cap * (now_ - flow.since));
  } else {
    SharedLink& link = links_[flow.bottleneck];
    serve(link);
    if (flow.left_bytes <= link.first_end) link.first_end = kUnknown;
    flow.left_bytes = std::max(0.0, flow.left_bytes - link.served);
    link.held -= times(slot, flow.bottleneck);
    touch(flow.bottleneck);
  }
  flow.since = now_;
  flow.bottleneck = kCap;
}

void Flows::set_level(LinkId id, double level) {
  SharedLink& link = links_[id];
  serve(link);
  const double by = level - link.level;
  link.level = level;
  double first_end = kInfinity;
  for (const Passing& passing : link.flows) {
    const Flow& flow = flows_[passing.slot];
    if (flow.bottleneck != id || passing.again) continue;
    first_end = std::min(first_end, flow.left_bytes);
    add_loads(passing.slot, id, level, by);
  }
  link.first_end = first_end;
  touch(id);
}

/// The flow has become faster by that much and has now that rate, which is for all its links but one to know.
inline void Flows::add_loads(Slot slot, LinkId except, double rate, double by) {
  const Hop* const mine = hops(slot);
  for (const Hop* hop = mine; hop != mine + flows_[slot].counting; ++hop) {
    if (hop->link == except) continue;
    SharedLink& link = links_[hop->link];
    link.others += by;
    link.fastest = std::max(link.fastest, rate);
    if (!link.queued && (link.held > 0 || link.others > link.capacity)) queue_anew(hop->link);
  }
}

void Flows::queue_anew(LinkId id) {
  SharedLink& link = links_[id];
  link.queued = true;
  const double level = link.held > 0 ? (link.capacity - link.others) / link.held
                                     : link.capacity / static_cast<double>(link.flows.size());
  to_correct_.push_back({level, id});
  std::push_heap(to_correct_.begin(), to_correct_.end());
}

void Flows::touch_anew(LinkId id) {
  links_[id].touched = true;
  touched_.push_back(id);
}

}  // namespace tutti::fast
