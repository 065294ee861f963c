#pragma once

#include <array>
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
    std::unique_ptr<std::byte[]> bytes;  // eager: what has come of it, unless that is little
    std::array<std::byte, 64> little;
    bool complete = false;               // eager: all has
    std::optional<std::uint64_t> offer;  // rendezvous
    Ticket wanted_by = kNone;            // eager, incomplete: the receive that takes it
    std::uint32_t next = kNone;
    /// For so many bytes, before place().
    void reserve(std::uint64_t size) {
      if (size > little.size()) bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    }
    std::byte* place() { return bytes ? bytes.get() : little.data(); }
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
  std::vector<Receive> receives_;
  std::deque<Early> early_;
  std::vector<std::uint32_t> free_receives_, free_early_;
};

// Inline: a small message costs little more than these.

template <class Pool>
std::uint32_t Matcher::take(Pool& pool, List& list, const Envelope& envelope) {
  std::uint32_t before = kNone;
  for (std::uint32_t id = list.first; id != kNone; before = id, id = pool[id].next) {
    if (!match(pool[id].envelope, envelope)) continue;
    (before == kNone ? list.first : pool[before].next) = pool[id].next;
    if (list.last == id) list.last = before;
    return id;
  }
  return kNone;
}

template <class Pool>
std::uint32_t Matcher::append(Pool& pool, std::vector<std::uint32_t>& free, List& list) {
  if (free.empty()) {
    free.push_back(static_cast<std::uint32_t>(pool.size()));
    pool.emplace_back();
  }
  const std::uint32_t id = free.back();
  free.pop_back();
  pool[id].next = kNone;
  (list.first == kNone ? list.first : pool[list.last].next) = id;
  list.last = id;
  return id;
}

inline Ticket Matcher::take_receive(Rank from, const Envelope& envelope) {
  const std::uint32_t id = take(receives_, peers_[from].receives, envelope);
  if (id == kNone) return kNone;
  free_receives_.push_back(id);
  return receives_[id].ticket;
}

inline std::uint32_t Matcher::take_early(Rank from, const Envelope& envelope) {
  return take(early_, peers_[from].early, envelope);
}

inline void Matcher::add_receive(Rank from, const Envelope& envelope, Ticket ticket) {
  Receive& receive = receives_[append(receives_, free_receives_, peers_[from].receives)];
  receive.envelope = envelope;
  receive.ticket = ticket;
}

inline std::uint32_t Matcher::add_early(Rank from, const Envelope& envelope) {
  const std::uint32_t id = append(early_, free_early_, peers_[from].early);
  early_[id].envelope = envelope;
  early_[id].from = from;
  return id;
}

inline void Matcher::drop(std::uint32_t id) {
  Early& early = early_[id];
  early.bytes.reset();
  early.complete = false;
  early.offer.reset();
  early.wanted_by = kNone;
  free_early_.push_back(id);
}

}  // namespace tutti
