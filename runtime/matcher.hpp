#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/transport.hpp"

namespace tutti {

/// Messages that nobody asked for yet, and receives that nothing has come for yet: in order per (group, call, lane,
/// source). One of the two is empty for each of these.
class Matcher {
 public:
  explicit Matcher(int ranks) : peers_(static_cast<std::size_t>(ranks)) {}

  static constexpr std::uint32_t kNone = ~0u;

  /// A message that arrived before its receive.
  struct Early {
    Envelope envelope;
    Rank from = 0;
    std::unique_ptr<std::byte[]> bytes;  // eager: what has come of it
    bool complete = false;               // eager: all has
    std::optional<std::uint64_t> offer;  // rendezvous
    Ticket wanted_by = kNone;            // eager, incomplete: the receive that takes it
    std::uint32_t next = kNone;
  };

  /// The oldest receive that the message matches, taken off the list; kNone if there is none.
  Ticket take_receive(Rank from, const Envelope& envelope);
  /// The oldest early message that the receive matches, taken off the list (drop() it when done); kNone if there is
  /// none.
  std::uint32_t take_early(Rank from, const Envelope& envelope);
  void add_receive(Rank from, const Envelope& envelope, Ticket ticket);
  /// A message without receive: in the list from now on.
  std::uint32_t add_early(Rank from, const Envelope& envelope);
  Early& early(std::uint32_t id) { return early_[id]; }
  void drop(std::uint32_t id);

 private:
  struct Receive {
    Envelope envelope;
    Ticket ticket = 0;
    std::uint32_t next = kNone;
  };
  struct List {
    std::uint32_t first = kNone, last = kNone;
  };
  struct Peer {
    List receives, early;
  };
  static bool match(const Envelope& a, const Envelope& b) {
    return a.call == b.call && a.group == b.group && a.lane == b.lane;
  }
  template <class Pool>
  static std::uint32_t take(Pool& pool, List& list, const Envelope& envelope);
  template <class Pool>
  static std::uint32_t append(Pool& pool, std::vector<std::uint32_t>& free, List& list);

  std::vector<Peer> peers_;
  std::deque<Receive> receives_;
  std::deque<Early> early_;
  std::vector<std::uint32_t> free_receives_, free_early_;
};

}  // namespace tutti
