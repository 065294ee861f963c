#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/transport.hpp"

/// Broadcasts by packets that the network multiplies and may lose. Each sender numbers its packets; a receiver says
/// what it has; what is missing is sent again, to all. Nothing here knows of a network: see
/// runtime/verbs/multicast.cpp.
namespace tutti::multicast {

using Sequence = std::uint64_t;

/// In front of every packet, which carries a piece of a message. Sent as it is.
struct Header {
  std::uint64_t job = 0;
  Rank from = 0;
  std::uint32_t answer = 0;  // 1: a receiver that has it already answers, too
  Envelope envelope;
  Sequence sequence = 0;
  Sequence first = 0;  // of the message's packets
};

/// What a receiver has of a sender's packets: all before `next`, and next + i where bit i is set. The `latest` that
/// came made it say so.
struct Report {
  Sequence next = 0;
  std::uint64_t beyond = 0;
  Sequence latest = 0;
};

/// Packets beyond the last one that all have had: a report's bits.
constexpr Sequence kWindow = 64;

/// An empty message is a packet, too.
inline Sequence packets_of(std::uint64_t bytes, std::size_t payload) {
  return bytes == 0 ? 1 : (bytes + payload - 1) / payload;
}

}  // namespace tutti::multicast
