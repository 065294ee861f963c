#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "runtime/shm/cross_memory.hpp"
#include "runtime/shm/ring.hpp"
#include "runtime/shm/segment.hpp"
#include "runtime/transport.hpp"

namespace tutti::shm {

/// What a rank's segment begins with. Rings follow, one for each rank of the node, in the order of the ranks.
struct alignas(kLine) Header {
  // kStays; else its owner has left, and all that it has sent is in the rings: kInOrder, or the rank whose loss is why.
  std::atomic<int> left;
  static constexpr int kStays = 0, kInOrder = 1, kLost = 2;  // + rank
  alignas(kLine) std::atomic<int> core;                      // that its owner waited on last, counted from 1
};

/// From so many bytes on, no message is read from its sender's memory.
inline constexpr std::uint64_t kNoCrossMemory = ~std::uint64_t{0};

/// The connection with one rank of the node: the rings of both directions, and what waits for room in the outgoing one.
class Peer {
 public:
  /// `segment` and `heap` are the peer's, `own_heap` this rank's. `process`: a descriptor that becomes readable when
  /// the peer's process ends; -1 where it is a thread of this one. Owned.
  Peer(Rank rank, Ring outgoing, Ring incoming, std::shared_ptr<Segment> segment, std::shared_ptr<Segment> heap,
       const Segment& own_heap, int process)
      : rank_(rank),
        out_(outgoing),
        in_(incoming),
        segment_(std::move(segment)),
        heap_(std::move(heap)),
        own_heap_(own_heap),
        process_(process) {}
  Peer(const Peer&) = delete;
  ~Peer();

  /// As the transport's.
  bool send(const Envelope& envelope, const Region& what, Ticket ticket, Inbox& inbox);
  bool send_at_once(const Envelope& envelope, const Region& what);
  void accept(std::uint64_t offer, std::uint64_t bytes, const ReceiveBuffer& where, Inbox& inbox);
  /// The line that tells whether something has come is on its way to this core.
  void look_ahead() const { in_.look_ahead(); }
  /// Takes what has come and sends what has room. True if anything moved.
  bool progress(Inbox& inbox);
  /// Messages of so many bytes and more are read from their sender's memory from now on, where the system lets us.
  void use_cross_memory(std::uint64_t bytes, const CrossMemory& memory) {
    cross_memory_from_bytes_ = bytes;
    memory_ = memory;
  }
  /// There is a core for the peer and one for this rank: large messages one way are copied by both.
  void share_work() { shares_work_ = true; }
  /// As the transport's.
  void read_from_end(bool from_end) { from_end_ = from_end; }
  void check_liveness(Inbox& inbox);
  /// As Header::core.
  int core() const { return reinterpret_cast<const Header*>(segment_->memory())->core.load(std::memory_order_relaxed); }

 private:
  struct Message {
    Envelope envelope;
    Region what;
    Ticket ticket;
  };
  struct Offer {
    std::uint64_t number;
    Message message;
  };
  /// Bytes on their way: of a message to the peer, or where those from the peer go.
  struct Stream {
    std::uint64_t number;
    Cursor bytes;
    std::uint64_t left;
    Ticket ticket;
    bool in_parts;
  };
  /// A message that can be read where it lies: in the peer's heap, or anywhere.
  struct ZeroCopy {
    std::uint64_t number, place;
    bool in_heap;
  };
  struct Notice {
    CellKind kind;
    std::uint64_t number, bytes = 0, place = 0;
  };
  /// A message whose other half the peer puts here.
  struct Shared {
    std::uint64_t number, bytes;
    ReceiveBuffer where;
    bool refused;  // this half
  };
  void take(Inbox& inbox);
  void take_bytes(Inbox& inbox, std::size_t stream, std::size_t bytes);
  Message withdraw(std::uint64_t number);
  bool can_share(const ZeroCopy& source, std::uint64_t bytes, const ReceiveBuffer& where) const;
  void share(const ZeroCopy& source, std::uint64_t bytes, const ReceiveBuffer& where, Inbox& inbox);
  bool help(const Cell& cell);
  void have_sent(std::uint64_t offer, std::uint64_t bytes, const ReceiveBuffer& where);
  void have_read(const ZeroCopy& source, Inbox& inbox);
  bool read(const ZeroCopy& source, std::uint64_t bytes, const Region& into);
  bool read_parts(const ZeroCopy& source, std::uint64_t bytes, const ReceiveBuffer& where, Inbox& inbox);
  bool is_in_own_heap(const Region& what) const;
  bool pump(Inbox& inbox);
  /// True if the message's bytes are in the ring.
  bool put(const Envelope& envelope, const Region& what, Ticket ticket);
  void put_chunk(Inbox& inbox);

  Rank rank_;
  Outgoing out_;
  Incoming in_;
  std::shared_ptr<Segment> segment_, heap_;
  const Segment& own_heap_;
  std::uint64_t cross_memory_from_bytes_ = kNoCrossMemory;
  CrossMemory memory_;
  bool shares_work_ = false, from_end_ = false;
  int process_;
  bool gone_ = false;  // has ended or left, and this has been reported
  std::uint64_t next_number_ = 0;
  std::deque<Notice> notices_;     // to be sent, before everything else
  std::deque<Message> messages_;   // to be sent, in order
  std::deque<Stream> streams_;     // to be sent, one after the other, when nothing else is
  std::vector<Offer> offered_;     // that the peer has not accepted
  std::vector<Stream> arriving_;   // from the peer
  std::vector<std::byte> staged_;  // of a message that is read and combined
  std::vector<Shared> shared_;
  std::vector<ZeroCopy> zero_copies_;  // by the peer, and not read yet
};

}  // namespace tutti::shm
