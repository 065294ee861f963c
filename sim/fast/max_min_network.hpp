#pragma once

#include <atomic>
#include <limits>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "base/hash_table.hpp"
#include "models/machine.hpp"
#include "sim/fast/arena_vector.hpp"
#include "sim/fast/indexed_heap.hpp"
#include "sim/flow_network.hpp"
#include "sim/pool.hpp"
#include "sim/zeroed_array.hpp"

namespace tutti::fast {

/// Flows share links max-min fairly: a flow is as fast as its cap, or one of its links is full and gives it as much as
/// to anyone there; that link is its bottleneck. (Bertsekas, Gallager: "Data Networks", 2nd edition, 1992, section
/// 6.5.2.)
///
/// Whatever begins or ends at one instant changes the network first; then the rates are corrected from link to link,
/// starting where something changed and going on only where a rate does change: a link gives those it holds back what
/// the others leave, and takes over those that are faster than that. Where no link has anything to correct, the shares
/// are the max-min ones, which are unique. A change of less than kNegligible of a rate is not passed on.
///
/// Where thousands of flows go from everyone to everyone, each that begins or ends changes all others' rates a little.
/// While there are so many, what happens within kPatience of the time that a flow takes, by the shortest of late and
/// of those that begin, happens at once, and a link that holds back dozens of them passes on changes of more than
/// kNegligibleAmongMany only, and takes over only those that are faster by more than that: links that are nearly as
/// full as one another would pass them to and fro. So each takes its time but for a few thousandths, and so does a
/// chain of them. (More than kManyFlows are too many for the reference engine, too: where the two can be compared,
/// nothing is left out.)
///
/// All flows that one link holds back have one rate, so that they are served alike: each ends when the link has served
/// so many bytes per flow, and a new rate changes nothing about their order. (Virtual time, as in Demers, Keshav,
/// Shenker: "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989.) Flows that pass the same
/// saturable links, below the same cap, have one rate too: they are a group, which is corrected as one, however many
/// they are.
///
/// A link is saturable once those who pass could want more than it has; others limit nobody and are left out. No flow
/// can want more than the narrowest link on its way has, and all those that come through one narrow link want no more
/// together than that link has: so the channels of a node's memory are not saturable while only its adapters use them.
///
/// Among fewer there is no tolerance in when a flow ends: it ends at the time computed from its rate, so that every
/// step of the clock ends a flow or serves a wish. Used by one thread; the machine must outlive it.
class MaxMinNetwork final : public FlowNetwork {
 public:
  static constexpr double kNegligible = 1e-9, kNegligibleAmongMany = 5e-3, kPatience = 1e-3;
  static constexpr std::uint32_t kManyFlows = 1u << 12, kManyHeld = 32;

  /// Of links that cannot be full, by link of the machine's network, no account is kept. Empty: all shared ones can.
  explicit MaxMinNetwork(const Machine& machine, const std::vector<bool>& can_fill = {},
                         std::size_t many_flows = kManyFlows);

  double now_seconds() const override { return now_; }
  void start(std::uint32_t flow, int from_core, int to_core, std::span<const LinkId> links, std::int64_t bytes,
             double rate_cap) override;
  void fetch_ahead(std::span<const LinkId> links) const override {
    for (const LinkId link : links) traffic_.fetch(link);
  }
  void set_capacity(LinkId link, double bytes_per_second) override;
  void wake_at(double seconds) override;
  void keep_holders() override { keeps_holders_ = true; }
  std::span<const Holder> holders() const override { return holders_.at(told_); }
  std::size_t most_flows() const override { return std::numeric_limits<std::uint32_t>::max(); }
  void run(FlowListener& listener) override;

 private:
  using Slot = std::uint32_t;
  using GroupId = std::uint32_t;
  static constexpr LinkId kCap = ~LinkId{0};
  static constexpr GroupId kNone = ~GroupId{0};
  static constexpr double kUnknown = -1, kInfinity = std::numeric_limits<double>::infinity();

  struct alignas(64) Flow {
    std::uint32_t name = 0;   // the caller's
    GroupId group = kNone;    // none: no link on its way is saturable, so that it is as fast as its cap
    std::uint32_t hops = 0;   // shared links on its way
    std::uint32_t place = 0;  // among the ends of its group
    bool admitted = false;    // has a rate
    bool repeats = false;     // passes a link more than once (one that stands for several)
    double cap = 0;           // bytes per second, the narrowest link included
    double end = 0;           // in a group: what each there will have got when it ends; else bytes left at `since`
    double since = 0;         // when what holds it back began to
  };
  struct Hop {
    LinkId link;
    LinkId feeder;        // the narrow link whose flows are bounded together here, or kCap: this one is by itself
    std::uint32_t place;  // among the link's flows
  };
  struct Group {
    double cap = 0;
    LinkId bottleneck = kCap;
    std::uint32_t hops = 0;      // saturable links on their way
    double got = 0;              // bytes to each: without a bottleneck at `since`, else beside what that has served
    double since = 0;            // when its cap began to limit it
    std::uint64_t key = 0;       // in group_of_key_
    IntrusiveHeap ends;          // of its flows
    std::uint32_t next = kNone;  // while it is not used
  };
  struct GroupHop {
    LinkId link;
    std::uint32_t times;  // that a flow passes it
    std::uint32_t place;  // among the link's groups
  };
  /// Flows of a link that all pass a narrower one, too.
  struct Feeder {
    LinkId link;
    std::uint32_t flows;
    double most;    // bytes per second that it has
    double wanted;  // the sum of their caps

    double wanted_together() const { return wanted < most ? wanted : most; }
  };
  struct Passing {
    Slot slot;
    std::uint32_t hop;   // which of the flow's hops this link is
    bool again = false;  // the flow has come here before
  };
  struct Member {      // of a link; with what is asked of all of them at once, so that nothing else is to be read
    double cap;        // the group's
    double first_end;  // what its bottleneck will have served when the first of its flows ends
    GroupId group;
    LinkId bottleneck;    // the group's
    std::uint32_t flows;  // in the group
    std::uint16_t hop;    // which of the group's hops this link is
    std::uint16_t times;  // that each of its flows passes
  };
  struct alignas(64) SharedLink {  // what a change of a rate reads comes first, on one line of the cache
    double capacity = 0;           // bytes per second
    double others = 0;             // rate of the flows that pass but are not held back here; if it is saturable
    double level = 0;              // rate of each that is held back here
    double fastest = 0;            // none that passes and is not held back here is faster
    double least_cap = 0;          // no flow held back here has a lower one
    double served = 0;             // bytes to each flow held back here, at `since`
    double since = 0;
    std::uint32_t held = 0;      // flows held back here, each as often as it passes
    bool queued = false;         // to be corrected
    bool touched = false;        // its next end is to be computed anew
    double first_end = 0;        // what it will have served when the first of those held back here ends, or kUnknown
    ArenaVector<Member> groups;  // if it is saturable
  };
  /// What passes a link, and whether that may limit anybody: all that most flows ever touch of most links. All zero
  /// until something touches the link: most jobs use a small part of a large machine.
  struct alignas(64) Traffic {
    double capacity = 0;             // the link's; 0: not open()ed yet
    double wanted = 0;               // bytes per second: what those who pass can want at most
    std::uint64_t last_started = 0;  // which flow came here last, counted from 1
    ArenaVector<Passing> flows;
    ArenaVector<Feeder> feeders;
    bool shared = false;     // else it only limits what each flow may have
    bool saturable = false;  // they could want more than there is; then all above but `capacity` is unused
    bool narrowed = false;   // for the time being it has less than `capacity`: see SharedLink
    bool touched = false;
  };
  static_assert(sizeof(Flow) == 64 && sizeof(Traffic) == 64);

  static constexpr std::size_t kMostFeeders = 8;  // of a link; flows of further ones are bounded one by one

  Hop* hops(Slot slot) { return &hops_[std::size_t{slot} * stride_]; }
  GroupHop* group_hops(GroupId group) { return &group_hops_[std::size_t{group} * group_stride_]; }
  auto place() {
    return [this](Slot slot) -> std::uint32_t& { return flows_[slot].place; };
  }
  /// In ends_, behind the links.
  std::uint32_t end_of_flow(Slot slot) const { return static_cast<std::uint32_t>(links_.size()) + 2 * slot; }
  std::uint32_t end_of_group(GroupId id) const { return static_cast<std::uint32_t>(links_.size()) + 2 * id + 1; }

  /// There are more links on a way than in all so far, which are `stride` apart.
  template <class Links>
  static void widen(Links& links, std::size_t& stride, std::size_t wider) {
    Links widened(links.size() / stride * wider);
    for (std::size_t i = 0; i < links.size(); ++i) widened[i / stride * wider + i % stride] = links[i];
    links = std::move(widened);
    stride = wider;
  }

  // max_min_network.cpp: beginnings and ends
  Traffic& opened(LinkId id) {
    Traffic& traffic = traffic_[id];
    // Written before it is read: a page that is read first is the system's one of zeros, and exchanging that for one of
    // its own interrupts the processors of all other threads.
    const_cast<volatile bool&>(traffic.touched) = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (traffic.capacity == 0) open(id);
    return traffic;
  }
  void open(LinkId id);
  Slot new_slot();
  double likely_rate(std::span<const LinkId> links, double cap) const;
  void finish(Slot slot, FlowListener& listener);
  void finish_due(double instant, FlowListener& listener);
  void note_next_end(LinkId id);
  void note_end_at_cap(GroupId id);
  void note_holder(Slot slot, LinkId link);

  // saturable_links.cpp: which links may limit anybody
  LinkId want(Traffic& link, LinkId by, double cap);
  static void want_no_more(Traffic& link, LinkId by, double cap);
  static bool is_too_much_wanted(const Traffic& link) {
    return link.wanted > link.capacity * (1 + kNegligible) || (link.narrowed && !link.flows.empty());
  }
  void set_saturable(LinkId id);

  // flow_groups.cpp: who belongs together
  static std::uint32_t size(const Group& group) { return static_cast<std::uint32_t>(group.ends.entries().size()); }
  double got(const Group& group) const;
  std::uint32_t times(GroupId id, LinkId link);
  GroupId group_for(Slot slot);
  GroupId new_group(std::uint64_t key, double cap);
  bool is_described(const Group& group, GroupId id, double cap);
  void join(Slot slot, GroupId id);
  void leave(Slot slot);
  void regroup(Slot slot, LinkId changed);
  void dissolve(GroupId id);
  void tell_links(GroupId id);

  // max_min_rates.cpp: what each gets
  double rate(LinkId bottleneck, double cap) const { return bottleneck == kCap ? cap : links_[bottleneck].level; }
  double rate(const Group& group) const { return rate(group.bottleneck, group.cap); }
  void solve();
  void note_next_ends();
  void admit(Slot slot);
  double seconds_left(const Flow& flow) const;
  /// What a flow takes, or would by the rate that it has once all that began with it have theirs: before, links that
  /// are full already seem to give it next to nothing. A thousand others later it is forgotten.
  void note_duration(double seconds) {
    constexpr double kForgotten = 1.001;
    if (seconds > 0) shortest_ = shortest_ > 0 ? std::min(seconds, shortest_ * kForgotten) : seconds;
  }
  void correct(LinkId id);
  double negligible(const SharedLink& link) const {
    return many_ && link.held > kManyHeld ? kNegligibleAmongMany : kNegligible;
  }
  double fair_level(LinkId id);
  void hold_back(GroupId id, LinkId by);
  void let_go(GroupId id);
  void set_level(LinkId id, double level);
  void add_loads(GroupId id, LinkId except, double rate, double by);
  void queue(LinkId id) {
    if (!links_[id].queued) queue_anew(id);
  }
  static double passing(const SharedLink& link);
  void queue_anew(LinkId id);
  void touch(LinkId id) {
    if (!links_[id].touched) touch_anew(id);
  }
  void touch_anew(LinkId id);
  void serve(SharedLink& link);

  const Network& network_;
  const std::vector<bool> can_fill_;
  const double lane_capacity_;
  const std::size_t many_flows_;
  bool many_ = false;      // flows are under way
  double shortest_ = 0;    // of the flows' durations of late
  double correct_at_ = 0;  // among many: until then rates need not be right
  bool keeps_holders_ = false;
  std::vector<std::vector<Holder>> holders_;  // by slot
  Slot told_ = 0;                             // which flow's end is being told
  double now_ = 0, wake_at_ = kInfinity;
  std::pmr::monotonic_buffer_resource memory_;  // of the links
  ZeroedArray<SharedLink> links_;
  ZeroedArray<Traffic> traffic_;  // of each link
  std::vector<Flow> flows_;
  std::uint64_t started_ = 0;
  std::vector<Hop> hops_;  // of each flow, `stride_` apart
  Pool<Group> groups_;
  std::vector<GroupHop> group_hops_;  // of each group, `group_stride_` apart
  HashTable<NumberKey, GroupId> group_of_key_;
  std::vector<GroupHop> described_;  // the saturable links of a flow
  std::size_t stride_ = 16;          // at least the longest way so far
  std::size_t group_stride_ = 4;     // at least the most saturable links on a way so far
  std::vector<Slot> free_, fresh_;
  IndexedHeap ends_;  // links that hold flows back by their next end; flows and groups that none does
  /// A link to be corrected. Those with the lowest levels first: what a link gives depends on no link of a higher one.
  struct Correction {
    double level;
    LinkId id;
    bool operator<(const Correction& other) const { return level != other.level ? level > other.level : id > other.id; }
  };
  std::vector<Correction> to_correct_;  // a heap
  struct Wanted {
    double rate;
    double flows;
  };
  std::vector<Wanted> wanted_;  // by each group that passes a link
  std::vector<LinkId> touched_;
  std::vector<GroupId> due_;
  std::vector<Slot> finished_;
};

}  // namespace tutti::fast
