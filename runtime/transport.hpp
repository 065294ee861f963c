#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "algos/view.hpp"
#include "runtime/region.hpp"
#include "runtime/remote_memory.hpp"

namespace tutti {

/// What a message is matched by, beside its source and destination, and its size.
struct Envelope {
  std::uint32_t group = 0, call = 0;
  std::uint8_t lane = 0;
  std::uint64_t bytes = 0;
};

/// The executor's name for a posted operation; a transport hands it back once, when the operation is complete.
using Ticket = std::uint32_t;

/// Where a message's bytes go.
struct ReceiveBuffer {
  Region into;  // as many bytes as the envelope says; in parts: where a part may lie when it is handed over, or empty
  Ticket ticket = 0;
  bool in_parts = false;
};

/// What is handed over in parts is cut at multiples of so many bytes.
inline constexpr std::size_t kPartUnit = 16 << 10;

/// What a transport reports to the executor. Called from within the transport's own calls only, on their thread.
/// All matching is done behind it: transports move packets and know nothing of receives. Per source, messages are
/// reported in the order in which they were sent.
class Inbox {
 public:
  virtual ~Inbox() = default;
  /// A message that its sender did not ask for (eager) is here in one piece; the bytes are copied before this returns.
  virtual void deliver(Rank from, const Envelope& envelope, const void* payload) = 0;
  /// A message of that kind begins to arrive; its bytes must be put where this says (a receive, or a buffer that is
  /// kept until one is posted). received() follows when all are there.
  virtual ReceiveBuffer receive_buffer(Rank from, const Envelope& envelope) = 0;
  virtual void received(Ticket ticket) = 0;
  /// As receive_buffer(), by a transport that receives_in_parts(): the receive buffer may ask for that.
  virtual ReceiveBuffer receive_buffer_or_parts(Rank from, const Envelope& envelope) {
    return receive_buffer(from, envelope);
  }
  /// The next bytes of such a message; received() follows when all have been handed over.
  virtual void part(Ticket, const void* /*bytes*/, std::size_t /*size*/) {}
  /// A message is ready at its sender (rendezvous). The executor calls accept(from, offer, …), now or later.
  virtual void offered(Rank from, const Envelope& envelope, std::uint64_t offer) = 0;
  /// A send that was not complete at once is: its bytes may be overwritten.
  virtual void sent(Ticket ticket) = 0;
  /// The peer cannot be reached any more: no operation with it will complete. The reason says what has been seen ("it
  /// has closed its connection"), not who. Whether it is lost, or has left because another is, may come to light yet:
  /// the transport goes on. Reported once per peer. Of the rank itself: the transport cannot go on here, and the reason
  /// says all.
  virtual void failed(Rank peer, std::string reason) = 0;
  /// That rank is lost, for sure: it has been seen to end, or another has left and says that it is why.
  virtual void lost(Rank rank, std::string reason) { failed(rank, std::move(reason)); }
  /// The peer has left in an orderly way, and all that it sent has been reported. Once per peer, and only after
  /// check_liveness() has been called.
  virtual void left(Rank peer) = 0;
};

/// Moves messages between this rank and those it reaches. Used by one thread; nothing here blocks or throws once the
/// transport is made (set-up throws TeamError). Destroying it ends all access to memory named by send() and accept();
/// peers see an orderly leave, and messages whose send was complete still arrive.
class MessageTransport {
 public:
  virtual ~MessageTransport() = default;
  virtual std::string_view name() const = 0;
  virtual bool reaches(Rank peer) const = 0;
  /// As send(), where that is complete at once for sure; otherwise false, and nothing has been done.
  virtual bool send_at_once(Rank, const Envelope&, const Region& /*what*/) { return false; }
  /// Sends what.bytes() == envelope.bytes bytes. True: complete at once (the bytes are sent or copied). Otherwise the
  /// region must stay as it is until Inbox::sent(ticket).
  virtual bool send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) = 0;
  /// Fetches an offered message; Inbox::received(ticket) when all bytes are there.
  virtual void accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) = 0;
  /// Whether bytes need no place of their own: they are handed to Inbox::part() where they lie.
  virtual bool receives_in_parts() const { return false; }
  /// As accept(), where it does: the message's bytes are handed over.
  virtual void accept_parts(Rank, std::uint64_t /*offer*/, std::uint64_t /*bytes*/, const ReceiveBuffer&) {}
  /// Memory that peers can read where it lies; nullptr: the transport has none. It may outlive the transport. Throws
  /// std::bad_alloc where there is no more.
  virtual std::shared_ptr<void> allocate(std::size_t) { return nullptr; }
  /// One-sided access to the peers that it reaches; nullptr: it has none. Ends with the transport.
  virtual RemoteMemory* remote_memory() { return nullptr; }
  /// Why the network cannot give one message to all others; empty: it can.
  virtual std::string why_no_multicast() const { return std::string(name()) + " has none"; }
  /// Where it can: sends envelope.bytes bytes, which must stay as they are until Inbox::sent(ticket): every other rank
  /// has them then. To those it is a message like any other from this rank.
  virtual void multicast(const Envelope&, const std::byte* /*bytes*/, Ticket) {}
  /// Whether the peer is known to run on another core than this rank: what it sends may come while this one polls.
  virtual bool runs_elsewhere(Rank) { return false; }
  /// Long messages that are read where they lie are read from their end on, or from their beginning, from now on.
  virtual void read_from_end(bool) {}
  /// What a wait that has reached its limit should know beside the operations that are pending; empty: nothing.
  virtual std::string pending() const { return ""; }
  /// Moves what can be moved now. True if anything moved.
  virtual bool progress() = 0;
  /// Lets the processor go until something may have come, but not for longer. False, at once, where the transport can
  /// only be polled.
  virtual bool rest(std::chrono::milliseconds) { return false; }
  /// No call is under way: memory that send() and accept() have named may be unmapped from now on.
  virtual void quiet() {}
  /// Called now and then while a wait goes on without progress, about every millisecond: the place for system calls
  /// that find out whether peers still live.
  virtual void check_liveness() {}
  /// This rank will leave because that one is lost: who is told that it leaves may be told why.
  virtual void lost(Rank) {}
  /// Said with check_liveness() for every peer that a message is waited for from: one that never said anything may have
  /// ended unseen.
  virtual void expect_message(Rank) {}
};

}  // namespace tutti
