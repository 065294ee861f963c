#pragma once
// What a network is made of: directed links, and the figures of one.

#include <cstdint>
#include <string>

#include "topologies/link_level.hpp"

namespace tutti {

/// Index into Network::links().
using LinkId = std::uint32_t;

/// One direction of a cable, or a channel inside a node. A full-duplex cable is two links.
struct Link {
  double bandwidth_bytes_per_second;
  double latency_seconds;
  LinkLevel level;
  /// false: every flow gets the full bandwidth (SimGrid's FATPIPE).
  bool shared = true;
};

/// Figures of a link, given once for all links of one kind.
struct Channel {
  double bandwidth_bytes_per_second = 0;  ///< must be positive and finite
  double latency_seconds = 0;             ///< must be finite and not negative
  bool shared = true;
};

/// Throws InputError, naming `what`, unless the figures make a link.
void check_channel(const Channel& channel, const std::string& what);

/// Throws InputError, naming `what`, unless low <= value <= 2^24 (what 32-bit link numbers can hold).
void check_count(std::int64_t value, std::int64_t low, const std::string& what);

}  // namespace tutti
