#pragma once

#include <functional>
#include <vector>

#include "runtime/multicast/packet.hpp"
#include "runtime/verbs/multicast_membership.hpp"

namespace tutti::verbs {

/// A job's multicast group on one adapter: unreliable datagrams that the network gives to every member, this one
/// among them.
class MulticastGroup {
 public:
  using Header = multicast::Header;
  /// The members agree on `job`, which names the group. Throws TeamError, saying what is missing.
  MulticastGroup(const Adapter& rail, std::uint64_t job, std::size_t payload, ibv_comp_channel* wakes);
  ~MulticastGroup();
  MulticastGroup(const MulticastGroup&) = delete;
  /// Sent, or lost later. False: nothing more can be posted just now.
  bool send(const Header& header, const std::byte* piece, std::size_t bytes);
  /// Hands over what has come. True if anything has.
  bool receive(const std::function<void(const Header&, const std::byte* piece, std::size_t bytes)>& handle);
  /// Not 0: the device has refused, for this reason; it cannot go on.
  int trouble() const { return trouble_; }
  ibv_cq* completions() const { return completions_.get(); }

 private:
  static constexpr std::size_t kSends = 128, kReceives = 256, kGlobalHeader = 40;
  void post_receive(std::size_t buffer);
  std::byte* received(std::size_t buffer) { return memory_.data() + buffer * received_bytes_; }
  std::byte* outgoing(std::size_t buffer) {
    return memory_.data() + kReceives * received_bytes_ + buffer * packet_bytes_;
  }

  const MulticastMembership membership_;
  const std::size_t packet_bytes_, received_bytes_;
  int trouble_ = 0;
  std::vector<std::byte> memory_;
  std::vector<std::size_t> free_;  // outgoing
  MemoryRegion region_;
  CompletionQueue completions_;
  QueuePair queue_pair_;
  AddressHandle way_;
};

/// Payload that every member's packets can carry behind the header, where the network's packets hold so many bytes.
std::size_t multicast_payload(std::uint8_t least_mtu);

}  // namespace tutti::verbs
