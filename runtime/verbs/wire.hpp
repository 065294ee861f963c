#pragma once

#include <array>
#include <cstdint>

#include "runtime/transport.hpp"
#include "runtime/verbs/adapter.hpp"

namespace tutti::verbs {

/// What is sent over a network, as it is: all machines of a job have the same byte order.
constexpr int kMostRails = 4;
constexpr std::size_t kPacketBytes = 8192;  // of one receive buffer: a header and what fits behind it

/// In front of everything that a connection carries.
struct Header {
  enum class Kind : std::uint32_t {
    message,  // its bytes follow
    offer,    // an Offer follows: the bytes can be fetched
    fetched,  // the bytes of `offer` have been fetched
    heard,    // of the multicast packets: all before number `offer`, and what else the envelope says
    leave     // nothing will come any more; because rank `offer` - 1 is lost, unless that is 0
  };
  Kind kind = Kind::message;
  Rank from = 0;
  Envelope envelope;
  std::uint64_t offer = 0;  // the sender's number of it
};
struct Offer {
  std::uint64_t address = 0;
  std::array<std::uint32_t, kMostRails> keys{};
};
constexpr std::size_t kEagerLimitBytes = kPacketBytes - sizeof(Header);

/// Datagrams that bring a connection up.
struct ConnectMessage {
  enum class Kind : std::uint32_t {
    connect,  // here are my queue pairs; please connect yours
    accept,   // mine are connected to yours
    confirm   // and so are mine: you may send
  };
  std::uint64_t job = 0;
  Kind kind = Kind::connect;
  Rank from = 0;
  std::array<std::uint32_t, kMostRails> queue_pairs{};
};

/// What a rank tells all others when the job starts, so that they can connect to it.
struct Endpoint {
  std::uint64_t job = 0;  // rank 0's counts: a number that packets of other jobs do not carry
  std::uint32_t rails = 0, datagram_queue_pair = 0;
  std::array<PortAddress, kMostRails> ports{};
};

}  // namespace tutti::verbs
