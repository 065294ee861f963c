#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "topologies/network.hpp"

namespace tutti {

/// Told what happens in a FlowNetwork, at the time it happens.
class FlowListener {
 public:
  virtual ~FlowListener() = default;
  virtual void flow_finished(std::uint32_t flow) = 0;
  /// flow_finished comes next: what that will read may be brought into the cache meanwhile.
  virtual void flow_finishes(std::uint32_t /*flow*/) {}
  /// The time asked for by wake_at has come.
  virtual void wake() = 0;
};

/// Where a machine has congestion trees, each node has a lane beside the network's links. What the node sends into a
/// tree passes it, first on its way. It limits nobody until set_capacity() narrows it.
inline LinkId lane_of(const Network& network, int node) {
  return static_cast<LinkId>(network.links().size()) + static_cast<LinkId>(node);
}
/// What all adapters of a node have together; nodes are alike.
inline double lane_bandwidth(const Network& network) {
  const std::size_t fabric = network.fabric().links().size();
  const std::size_t per_node = (network.links().size() - fabric) / static_cast<std::size_t>(network.nodes());
  double sum = 0;
  for (const Link& link : network.links().subspan(fabric, per_node))
    if (link.level == LinkLevel::Kind::nic_out || link.level == LinkLevel::Kind::nic_both)
      sum += link.bandwidth_bytes_per_second;
  return sum;
}

/// Carries bytes along routes and shares what links have among those that use them. Knows nothing of ranks, protocols
/// or latencies: those belong to the Simulation, so that every engine has the same ones.
class FlowNetwork {
 public:
  virtual ~FlowNetwork() = default;
  virtual double now_seconds() const = 0;
  /// From now on, `bytes` > 0 from core to core over `links`, which is the network's route between them, or
  /// its node's lane and that, at most at
  /// `rate_cap` bytes per second (of which there are few distinct values). `flow` comes back in flow_finished.
  virtual void start(std::uint32_t flow, int from_core, int to_core, std::span<const LinkId> links, std::int64_t bytes,
                     double rate_cap) = 0;
  /// A flow may begin soon over those links: what start() will read may be brought into the cache meanwhile.
  virtual void fetch_ahead(std::span<const LinkId> /*links*/) const {}
  /// From now on the link, which flows share, or the lane has so many bytes per second, at most what it had at first.
  virtual void set_capacity(LinkId /*link*/, double /*bytes_per_second*/) {
    throw std::logic_error("FlowNetwork: a network whose links keep their capacity");
  }
  /// Call wake() at that time, not before now; an earlier wish replaces a later one.
  virtual void wake_at(double seconds) = 0;
  /// From now on, keep for each flow what held it back.
  virtual void keep_holders() {}
  struct Holder {
    LinkId link;  // kNone: none did, the flow had all that it could take
    double seconds;
    static constexpr LinkId kNone = ~LinkId{0};
  };
  /// Inside flow_finished: what held that flow back, one after the other. Empty: this network does not tell.
  virtual std::span<const Holder> holders() const { return {}; }
  /// How many flows at a time it bears in reasonable time.
  virtual std::size_t most_flows() const = 0;
  /// Runs until nothing is under way.
  virtual void run(FlowListener& listener) = 0;
};

}  // namespace tutti
