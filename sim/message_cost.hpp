#pragma once
// What a message costs on its way: written once, for every engine. Transport (models/machine.hpp) says what its ends
// do.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "algos/call_numbers.hpp"
#include "models/machine.hpp"

namespace tutti {

/// The links from one core to another, taken together.
struct Route {
  bool by_adapters = false;                                    // it leaves the node
  const Transport* transport = nullptr;                        // nullptr: the machine has none at this distance
  double latency_seconds = 0;                                  // of all links
  double narrowest = std::numeric_limits<double>::infinity();  // bytes per second, of all links
  std::uint32_t hops = 0;

  void add(const Link& link) {
    latency_seconds += link.latency_seconds;
    narrowest = std::min(narrowest, link.bandwidth_bytes_per_second);
    ++hops;
  }
  /// From when a message of so many bytes sets out to when its first byte could be there.
  ///
  /// Inside a node a core moves the bytes, at the segment's rate. Between nodes adapters do, and a message that is
  /// slower than its links is so because it passes several stages in turn: the stages work on several messages at once,
  /// so that this is delay, not rate.
  double delay_seconds(const Segment& segment, std::int64_t bytes) const {
    double delay = segment.latency_seconds + latency_seconds;
    if (by_adapters && segment.bandwidth_bytes_per_second < narrowest)
      delay += static_cast<double>(bytes) * (1 / segment.bandwidth_bytes_per_second - 1 / narrowest);
    return delay;
  }
  /// What the bytes of a message flow at, at most, whatever its links give.
  double rate_cap(const Segment& segment) const {
    return by_adapters && hops > 0 ? std::numeric_limits<double>::infinity() : segment.bandwidth_bytes_per_second;
  }
};

/// What a receive does with the bytes once they are there, which keeps the receiver's processor busy.
enum class AtEnd : std::uint8_t { nothing, unpack, combine };

/// The rate of that; nullptr: it takes no time. What is eager is copied out of the adapter's buffers all the same
/// (Transport::receive_seconds), to wherever it belongs.
inline const Compute::Rate* rate_at_end(AtEnd at_end, bool eager, const Compute& compute) {
  if (at_end == AtEnd::combine) return &compute.reduce;
  return at_end == AtEnd::unpack && !eager ? &compute.copy : nullptr;
}

/// Messages and receives between two ranks match, in order, where they are of one group, call and lane.
inline std::uint64_t match_key(const CallScope& scope, int lane) {
  return static_cast<std::uint64_t>(group_id(scope)) << 40 ^ static_cast<std::uint64_t>(scope.number) << 8 ^
         static_cast<std::uint64_t>(lane);
}
inline std::uint64_t pair_number(Rank a, Rank b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
}

}  // namespace tutti
