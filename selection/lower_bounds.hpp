#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algos/registry.hpp"
#include "models/machine.hpp"
#include "sim/engine.hpp"

namespace tutti {

/// What no run of a choice on these cores can be faster than, by the machine's model and the algorithm's exact counts.
/// Five bounds, of which the greatest holds:
///   rounds    the messages of the longest chain follow one another, each after the one before has been received or
///             started: every one costs its sender or its receiver at least the smaller overhead (gap counted), and one
///             of them the latency too;
///   messages  every message costs a processor the sender's overhead and another the receiver's; by the mean over
///             ranks, some rank bears that many;
///   bytes     every message passes an adapter, memory channel, or core; so many bytes need so long even if all of the
///             nodes' channels are busy all the time;
///   exchange  where every rank sends to every other, the load of every link is known, and the busiest needs its time.
///             (They do if there are as many messages as that takes and the middle rank does.)
///   work      there, the middle rank's copies and reductions occupy its processor one after the other.
/// Calls that follow one another at once overlap, so that the first does not hold for them; where ranks arrive one
/// after the other, none does. Not thread-safe.
class LowerBounds {
 public:
  /// `cores` of ranks, `ppn` of them on each of `nodes` nodes.
  LowerBounds(const Machine& machine, Mode mode, std::span<const int> cores, int nodes, int ppn);

  /// `real` is what runs (resolve()).
  double seconds(const Choice& real, const Case& c);

 private:
  double busiest_link_seconds_per_byte() const;
  void add_node_loads(std::vector<double>& load) const;
  void add_fabric_loads(std::vector<double>& load) const;

  const Machine& machine_;
  Mode mode_;
  Places places_;
  std::vector<std::vector<int>> cores_of_node_;                              // those with ranks
  double send_overhead_ = 0, receive_overhead_ = 0, gap_ = 0, latency_ = 0;  // the least at any distance in use
  double bytes_per_second_ = 0;                      // of all nodes together; infinite: unlimited
  std::optional<double> exchange_seconds_per_byte_;  // found when it is first asked for
};

/// The distances between two of these ranks, each once; all nodes are alike. Empty for one rank.
std::vector<Distance> distances_between(const Network& network, std::span<const int> cores);

}  // namespace tutti
