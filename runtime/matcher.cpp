#include "runtime/matcher.hpp"

namespace tutti {

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

Ticket Matcher::take_receive(Rank from, const Envelope& envelope) {
  const std::uint32_t id = take(receives_, peers_[static_cast<std::size_t>(from)].receives, envelope);
  if (id == kNone) return kNone;
  free_receives_.push_back(id);
  return receives_[id].ticket;
}

std::uint32_t Matcher::take_early(Rank from, const Envelope& envelope) {
  return take(early_, peers_[static_cast<std::size_t>(from)].early, envelope);
}

void Matcher::add_receive(Rank from, const Envelope& envelope, Ticket ticket) {
  Receive& receive = receives_[append(receives_, free_receives_, peers_[static_cast<std::size_t>(from)].receives)];
  receive.envelope = envelope;
  receive.ticket = ticket;
}

std::uint32_t Matcher::add_early(Rank from, const Envelope& envelope) {
  const std::uint32_t id = append(early_, free_early_, peers_[static_cast<std::size_t>(from)].early);
  early_[id].envelope = envelope;
  early_[id].from = from;
  return id;
}

void Matcher::drop(std::uint32_t id) {
  early_[id] = Early{};
  free_early_.push_back(id);
}

}  // namespace tutti
