#pragma once

#include <deque>
#include <memory>
#include <unordered_map>

#include "runtime/shm/ring.hpp"
#include "runtime/shm/segment.hpp"
#include "runtime/transport.hpp"

namespace tutti::shm {

/// What a rank's segment begins with. Rings follow, one for each rank of the node, in the order of the ranks.
struct alignas(kLine) Header {
  std::atomic<std::uint32_t> left;  // 1: its owner has left in an orderly way; all it has sent is in the rings
};

/// The connection with one rank of the node: the rings of both directions, and what waits for room in the outgoing one.
class Peer {
 public:
  /// `segment` is the peer's. `process`: a descriptor that becomes readable when the peer's process ends; -1 where it
  /// is a thread of this one. Owned.
  Peer(Rank rank, Ring outgoing, Ring incoming, std::shared_ptr<Segment> segment, int process)
      : rank_(rank), out_(outgoing), in_(incoming), segment_(std::move(segment)), process_(process) {}
  Peer(const Peer&) = delete;
  ~Peer();

  /// As MessageTransport::send and accept.
  bool send(const Envelope& envelope, const Region& what, Ticket ticket, Inbox& inbox);
  void accept(std::uint64_t offer, const Region& into, Ticket ticket, Inbox& inbox);
  /// Takes what has come and sends what has room. True if anything moved.
  bool progress(Inbox& inbox);
  void check(Inbox& inbox);

 private:
  struct Message {
    Envelope envelope;
    Region what;
    Ticket ticket;
  };
  struct Stream {
    Cursor bytes;
    Ticket ticket;
  };
  void take(Inbox& inbox);
  void take_chunk(Inbox& inbox);
  bool pump(Inbox& inbox);
  /// True if the message's bytes are in the ring.
  bool put(const Message& message);
  void put_chunk(Inbox& inbox);

  Rank rank_;
  Outgoing out_;
  Incoming in_;
  std::shared_ptr<Segment> segment_;
  int process_;
  bool gone_ = false;  // has ended or left, and this has been reported
  std::uint64_t next_offer_ = 0;
  std::unordered_map<std::uint64_t, Message> offered_;
  std::deque<std::uint64_t> accepts_;  // to be sent, before everything else
  std::deque<Message> messages_;       // to be sent, in order
  std::deque<Stream> streams_;         // accepted by the peer, one after the other, when nothing else is to be sent
  std::deque<Stream> accepted_;        // by this rank: their chunks come in this order
};

}  // namespace tutti::shm
