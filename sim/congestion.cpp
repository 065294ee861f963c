#include "sim/congestion.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "sim/time_grid.hpp"

namespace tutti {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

Congestion::Congestion(const Machine& machine, const Experiment& experiment, FlowNetwork& network)
    : trees_(*machine.congestion_trees),
      network_(network),
      root_(experiment.c.ranks),
      in_tree_(machine.network->fabric().links().size()),
      stands_from_(kNever),
      wide_(lane_bandwidth(*machine.network)) {
  const auto core = [&](Rank rank) { return experiment.core_of_rank[rank]; };
  std::vector<int> senders(in_tree_.size());
  std::vector<LinkId> route;
  for (Rank sender = root_ + 1; sender < root_ + experiment.background->ranks; ++sender) {
    machine.network->route(core(sender), core(root_), route);
    for (const LinkId id : route) {
      const Link& link = machine.network->links()[id];
      if (id < in_tree_.size()) in_tree_[id] = in_tree_[id] || ++senders[id] >= trees_.from_senders;
      if (link.level == LinkLevel::Kind::nic_in && link.shared) root_bandwidth_ = link.bandwidth_bytes_per_second;
    }
  }
  std::unordered_map<int, int> lane_of_node;
  for (Rank rank = 0; rank < root_; ++rank) {
    const int node = machine.network->node_of(core(rank));
    const auto [lane, is_new] = lane_of_node.try_emplace(node, static_cast<int>(lanes_.size()));
    if (is_new) lanes_.push_back({lane_of(*machine.network, node), 0, wide_});
    lane_of_rank_.push_back(lane->second);
  }
}

bool Congestion::is_in_tree(Rank from, std::span<const LinkId> links) const {
  return from < root_ &&
         std::any_of(links.begin(), links.end(), [this](LinkId id) { return id < in_tree_.size() && in_tree_[id]; });
}

std::optional<double> Congestion::wait(std::uint32_t flow, Rank from, std::span<const LinkId> links,
                                       double now_seconds) {
  if (!stands_ || trees_.queued_bytes == 0 || !is_in_tree(from, links)) return {};
  held_.push_back({flow, on_grid(now_seconds + static_cast<double>(trees_.queued_bytes) / share())});
  return held_.back().until;
}

bool Congestion::passes(std::uint32_t flow, double now_seconds) {
  const auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.flow == flow; });
  if (held == held_.end() || held->until > now_seconds) return false;
  held_.erase(held);
  return true;
}

void Congestion::begin(std::uint32_t flow, Rank from, Rank to, std::span<const LinkId>& links) {
  if (of_flow_.size() <= flow) of_flow_.resize(flow + 1, kNoLane);
  if (is_in_tree(from, links)) {
    of_flow_[flow] = lane_of_rank_[from];
    Lane& lane = lanes_[of_flow_[flow]];
    ++lane.flows;
    links_.assign(1, lane.link);
    links_.insert(links_.end(), links.begin(), links.end());
    links = links_;
  } else if (from > root_ && to == root_) {
    of_flow_[flow] = kToRoot;
    ++arriving_;
  }
}

void Congestion::end(std::uint32_t flow) {
  if (flow >= of_flow_.size()) return;
  if (of_flow_[flow] == kToRoot) --arriving_;
  if (of_flow_[flow] >= 0) --lanes_[of_flow_[flow]].flows;
  of_flow_[flow] = kNoLane;
}

Congestion::Settled Congestion::settle(double now_seconds) {
  Settled settled;
  if (root_bandwidth_ == 0 || arriving_ < trees_.from_senders) {
    stands_from_ = kNever;
  } else if (stands_from_ == kNever) {
    stands_from_ = on_grid(now_seconds + trees_.grow_seconds);
    if (stands_from_ > now_seconds) settled.stands = stands_from_;
  }
  stands_ = stands_from_ <= now_seconds;
  for (Lane& lane : lanes_) {
    const double width = stands_ && lane.flows > 0 ? std::min(wide_, share() * lane.flows) : wide_;
    if (width != lane.width) network_.set_capacity(lane.link, lane.width = width);
  }
  if (!stands_) {
    for (const Held& one : held_) settled.free.push_back(one.flow);
    held_.clear();
  }
  return settled;
}

}  // namespace tutti
