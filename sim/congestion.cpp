#include "sim/congestion.hpp"

#include <algorithm>
#include <cmath>

namespace tutti {

Congestion::Congestion(const Machine& machine, FlowNetwork& network)
    : trees_(*machine.congestion_trees),
      network_(network),
      adapters_(machine.network->links().size()),
      is_in_(adapters_.size()),
      is_out_(adapters_.size()),
      cables_(machine.network->fabric().links().size()),
      share_(cables_, kFree) {
  double widest = 0, narrowest = kFree;
  for (LinkId id = 0; id < adapters_.size(); ++id) {
    const Link& link = machine.network->links()[id];
    adapters_[id].capacity = adapters_[id].left = link.bandwidth_bytes_per_second;
    is_in_[id] = link.shared && link.level == "nic-in";
    is_out_[id] = link.shared && link.level == "nic-out";
    if (is_in_[id]) narrowest = std::min(narrowest, adapters_[id].capacity);
    if (is_out_[id]) widest = std::max(widest, adapters_[id].capacity);
  }
  if (widest > 0 && narrowest < kFree)
    crowd_ = static_cast<std::uint32_t>(std::max(1.0, std::ceil(trees_.from_senders * narrowest / widest)));
}

std::int64_t Congestion::begin(std::uint32_t number, std::span<const LinkId> links) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  Flow& flow = flows_[number];
  flow.cables.clear();
  flow.out = flow.in = FlowNetwork::Holder::kNone;
  for (const LinkId id : links) {
    if (id < cables_) flow.cables.push_back(id);
    if (is_out_[id]) flow.out = id;
    if (is_in_[id]) flow.in = id;
  }
  if (flow.out == FlowNetwork::Holder::kNone || flow.in == FlowNetwork::Holder::kNone) {
    flow.out = FlowNetwork::Holder::kNone;
    return 0;
  }
  Adapter &out = adapters_[flow.out], &in = adapters_[flow.in];
  if (!out.listed) senders_.push_back(flow.out);
  out.listed = true;
  flow.place_out = static_cast<std::uint32_t>(out.flows.size());
  out.flows.push_back(number);
  crowded_ += ++in.received == crowd_;
  changed_ = true;
  const bool comes_into_tree = share_of(flow.in) == kFree && share_of(flow) != kFree;
  return comes_into_tree ? trees_.queued_bytes : 0;
}

void Congestion::end(std::uint32_t number) {
  if (number >= flows_.size() || flows_[number].out == FlowNetwork::Holder::kNone) return;
  Flow& flow = flows_[number];
  Adapter& out = adapters_[flow.out];
  const std::uint32_t last = out.flows.back();
  out.flows[flow.place_out] = last;
  flows_[last].place_out = flow.place_out;
  out.flows.pop_back();
  crowded_ -= adapters_[flow.in].received-- == crowd_;
  flow.out = FlowNetwork::Holder::kNone;
  changed_ = true;
}

/// What each sender gets of an adapter with a tree; kFree: it has none.
double Congestion::share_of(LinkId in) const {
  if (std::find(congested_.begin(), congested_.end(), in) == congested_.end()) return kFree;
  const Adapter& adapter = adapters_[in];
  return adapter.capacity * adapter.capacity / adapter.wanted;
}

/// The least of its cables.
double Congestion::share_of(const Flow& flow) const {
  double share = kFree;
  for (const LinkId cable : flow.cables) share = std::min(share, share_[cable]);
  return share;
}

/// Trees, from what is sent to whom.
void Congestion::grow() {
  for (const LinkId cable : in_trees_) share_[cable] = kFree;
  in_trees_.clear();
  congested_.clear();
  if (crowded_ == 0) return;
  const auto each_flow = [this](const auto& visit) {
    for (const LinkId sender : senders_)
      for (const std::uint32_t number : adapters_[sender].flows) visit(adapters_[sender], flows_[number]);
  };
  each_flow([this](const Adapter&, const Flow& flow) { adapters_[flow.in].wanted = 0; });
  each_flow([this](const Adapter& out, const Flow& flow) {
    Adapter& in = adapters_[flow.in];
    const bool before = in.wanted >= trees_.from_senders * in.capacity;
    in.wanted += out.capacity / static_cast<double>(out.flows.size());
    if (!before && in.wanted >= trees_.from_senders * in.capacity) congested_.push_back(flow.in);
  });
  if (congested_.empty()) return;
  each_flow([this](const Adapter&, const Flow& flow) {
    const double share = share_of(flow.in);
    if (share == kFree) return;
    for (const LinkId cable : flow.cables) {
      if (share_[cable] == kFree) in_trees_.push_back(cable);
      share_[cable] = std::min(share_[cable], share);
    }
  });
}

void Congestion::settle() {
  if (!changed_) return;
  changed_ = false;
  if (crowded_ == 0 && !narrowed_) return congested_.empty() ? void() : grow();
  grow();
  narrowed_ = false;
  for (const LinkId sender : senders_) {
    Adapter& out = adapters_[sender];
    double share = kFree, held = 0;
    bool is_victim = false;
    for (const std::uint32_t number : out.flows) {
      const double own = share_of(flows_[number].in), here = std::min(own, share_of(flows_[number]));
      if (here == kFree) continue;
      ++held;
      share = std::min(share, here);
      is_victim |= own == kFree;
    }
    // Whose messages all go to where the tree is, gets that by sharing the adapter there.
    double left = out.capacity;
    if (is_victim || held < static_cast<double>(out.flows.size()))
      left = std::min(left, share == kFree ? kFree : share * static_cast<double>(out.flows.size()) / held);
    narrowed_ |= left < out.capacity;
    if (left == out.left) continue;
    out.left = left;
    network_.set_capacity(sender, left);
  }
}

}  // namespace tutti
