#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <span>
#include <unordered_map>

#include "topologies/network.hpp"

namespace tutti::simgrid {

namespace sg4 = ::simgrid::s4u;

/// Our network as one SimGrid zone whose routes are ours. SimGrid's own cluster zones give all inter-switch links one
/// bandwidth, know only minimal dragonfly routing, and crash on dragonflies with more groups than routers per chassis
/// (3.32).
class Platform {
 public:
  /// `lane_bandwidth`: of each node's lane; 0: there are none. `cores`: those that will send or receive, ascending; the
  /// rest of the machine is left out. `caps`: the rates that cap_next_route will be asked for, in bytes per second.
  /// `with_latencies`: the links carry their latency (for other users of the platform, such as SMPI).
  Platform(std::shared_ptr<const Network> network, std::span<const int> cores, std::span<const double> caps,
           bool with_latencies, double lane_bandwidth = 0);

  void set_capacity(LinkId link, double bytes_per_second);
  sg4::Host* host(int core) const { return hosts_.at(core); }
  /// The next route SimGrid asks for is also limited to this rate, for that flow alone (0: not limited). The limit is a
  /// link of the source's own: one link for all would couple all flows, which SimGrid then solves together at every
  /// event.
  void cap_next_route(double bytes_per_second);
  /// That route is also to pass its node's lane, or not.
  void lane_on_next_route(bool passes);

 private:
  class Zone;
  Zone* zone_;  // SimGrid owns it
  std::unordered_map<int, sg4::Host*> hosts_;
};

}  // namespace tutti::simgrid
