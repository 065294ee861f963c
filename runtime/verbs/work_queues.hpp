#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/slots.hpp"
#include "runtime/verbs/packets.hpp"

namespace tutti::verbs {

/// What a work request is for.
struct Work {
  enum class Kind : std::uint8_t { packet, inlined, piece, liveness_probe } kind = Kind::packet;
  bool is_report = false;   // of multicast packets
  std::uint32_t id = 0;     // the packet, or the fetch
  std::uint64_t bytes = 0;  // of the piece
};

/// The work requests of all connections that are under way: their completion queues, one a rail, the packets that they
/// send from and receive into (on the first rail), and what each is for.
class WorkQueues {
 public:
  /// Throws TeamError where an adapter refuses.
  WorkQueues(std::span<const Adapter> rails, ibv_comp_channel* wakes);
  std::size_t rails() const { return completions_.size(); }
  ibv_cq* completions(std::size_t rail) const { return completions_[rail].get(); }
  /// What the connections of the first rail receive by.
  ibv_srq* receives() const { return receives_.get(); }

  bool has_room(std::size_t rail) const { return room_[rail] > 0; }
  bool has_packet() const { return !free_packets_.empty(); }
  /// What the next work of the kind `packet` sends.
  std::size_t next_packet() const { return free_packets_.back(); }
  Packets& sending() { return sending_; }
  /// 0, or the number of the error: then nothing has happened.
  int post(ibv_qp* queue_pair, std::size_t rail, ibv_send_wr& request, const Work& work);

  static bool is_receive(const ibv_wc& done) { return (done.wr_id & kReceive) != 0; }
  /// The packet that has come.
  static std::size_t received(const ibv_wc& done) { return done.wr_id & ~kReceive; }
  const std::byte* received(std::size_t packet) { return receiving_[packet]; }
  /// The packet may hold another. 0, or the number of the error.
  int post_receive(std::size_t packet);
  /// What is done; its room and its packet are free.
  Work take(std::size_t rail, const ibv_wc& done);

 private:
  static constexpr std::uint32_t kMostPosted = 4096;  // per rail
  static constexpr std::size_t kSendPackets = 256, kReceivePackets = 512;
  static constexpr std::uint64_t kReceive = 1ull << 63;  // in the number of a work request, beside the packet's

  Packets sending_, receiving_;
  std::vector<std::size_t> free_packets_;  // of sending_
  std::vector<CompletionQueue> completions_;
  SharedReceiveQueue receives_;
  std::vector<std::uint32_t> room_;  // per rail
  Slots<Work> works_;
};

}  // namespace tutti::verbs
