// What comes in: messages, whole, in parts, or only offered, and what they complete.
#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/executor.hpp"

namespace tutti {
namespace {

std::string plural(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

}  // namespace

bool Executor::fits(Ticket receive, Rank from, const Envelope& envelope) {
  const std::uint64_t wanted = records_[receive].region.bytes();
  if (wanted == envelope.bytes) return true;
  give_up("rank " + std::to_string(rank_) + " receives " + plural(wanted) + " from rank " + std::to_string(from) +
          ", which sends " + plural(envelope.bytes) + ": the ranks' calls do not fit each other");
  return false;
}

void Executor::deliver(Rank from, const Envelope& envelope, const void* payload) {
  const Ticket receive = matcher_.take_receive(from, envelope);
  if (receive != Matcher::kNone) {
    if (!fits(receive, from, envelope)) return;
    fill(receive, payload);
    return complete(receive);
  }
  Matcher::Early& early = matcher_.early(matcher_.add_early(from, envelope));
  early.reserve(envelope.bytes);
  std::copy_n(static_cast<const std::byte*>(payload), envelope.bytes, early.place());
  early.complete = true;
}

/// With the whole message.
void Executor::fill(Ticket receive, const void* payload) {
  Record& record = records_[receive];
  if (record.combines)
    part(receive, payload, record.region.bytes());
  else
    copy_in(record.region, payload);
}

/// Parts are whole elements.
bool Executor::takes_parts(Ticket receive) const {
  return records_[receive].combines && kPartUnit % combinations_[receive].element_bytes == 0;
}

/// The result's place is in one piece, and no operand's.
bool Executor::may_lie_in_place(Ticket receive) const {
  const Region &to = records_[receive].region, &own = combinations_[receive].operand;
  return to.is_contiguous() && own.is_contiguous() &&
         (std::less_equal<>{}(to.first + to.bytes(), own.first) ||
          std::less_equal<>{}(own.first + own.bytes(), to.first));
}

ReceiveBuffer Executor::buffer_of(Ticket receive, bool parts) {
  const Record& record = records_[receive];
  if (!record.combines) return {record.region, receive};
  if (parts && takes_parts(receive)) return {may_lie_in_place(receive) ? record.region : Region{}, receive, true};
  combinations_[receive].staged = pool_.take(record.region.bytes());
  return {Region::contiguous(combinations_[receive].staged.bytes, record.region.bytes()), receive};
}

void Executor::part(Ticket ticket, const void* bytes, std::size_t size) {
  Combination& c = combinations_[ticket];
  const auto* message = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    // The shorter of the two pieces; pieces are whole elements.
    Cursor to = c.to, own = c.own;
    const std::size_t piece = std::min(to.next(size).size(), own.next(size).size());
    std::byte* const out = c.to.next(piece).data();
    const std::byte* const here = c.own.next(piece).data();
    const bool left = c.side == Incoming::left;
    // From the end, block by block: what came last is nearest.
    constexpr std::size_t kBlockBytes = 8 << 10;
    const std::size_t block = std::max(kBlockBytes / c.element_bytes, std::size_t{1}) * c.element_bytes;
    for (std::size_t end = piece; end > 0;) {
      const std::size_t begin = end > block ? end - block : 0;
      const std::byte *const theirs = message + begin, *const ours = here + begin;
      c.reduction.combine(out + begin, left ? theirs : ours, left ? ours : theirs, (end - begin) / c.element_bytes,
                          c.reduction.context);
      end = begin;
    }
    message += piece, size -= piece;
  }
}

ReceiveBuffer Executor::receive_buffer(Rank from, const Envelope& envelope) {
  return receive_buffer(from, envelope, false);
}
ReceiveBuffer Executor::receive_buffer_or_parts(Rank from, const Envelope& envelope) {
  return receive_buffer(from, envelope, true);
}

ReceiveBuffer Executor::receive_buffer(Rank from, const Envelope& envelope, bool parts) {
  const Ticket receive = matcher_.take_receive(from, envelope);
  if (receive != Matcher::kNone && fits(receive, from, envelope)) return buffer_of(receive, parts);
  const std::uint32_t id = matcher_.add_early(from, envelope);
  Matcher::Early& early = matcher_.early(id);
  early.reserve(envelope.bytes);
  return {Region::contiguous(early.place(), envelope.bytes), id | kEarly};
}

void Executor::received(Ticket ticket) {
  if (!(ticket & kEarly)) {
    if (records_[ticket].combines)
      if (ScratchPool::Block& staged = combinations_[ticket].staged; staged.bytes) {
        part(ticket, staged.bytes, records_[ticket].region.bytes());
        pool_.give_back(std::exchange(staged, {}));
      }
    return complete(ticket);
  }
  const std::uint32_t id = ticket & ~kEarly;
  Matcher::Early& early = matcher_.early(id);
  early.complete = true;
  if (early.wanted_by != Matcher::kNone) take_early(id, early.wanted_by);
}

void Executor::offered(Rank from, const Envelope& envelope, std::uint64_t offer) {
  const Ticket receive = matcher_.take_receive(from, envelope);
  if (receive == Matcher::kNone) {
    matcher_.early(matcher_.add_early(from, envelope)).offer = offer;
  } else if (fits(receive, from, envelope)) {
    accept(from, offer, receive);
  }
}

void Executor::accept(Rank from, std::uint64_t offer, Ticket receive) {
  MessageTransport& transport = route(from);
  const ReceiveBuffer where = buffer_of(receive, transport.receives_in_parts());
  if (where.in_parts)
    transport.accept_parts(from, offer, records_[receive].region.bytes(), where);
  else
    transport.accept(from, offer, where.into, receive);
}

void Executor::take_early(std::uint32_t id, Ticket receive) {
  Matcher::Early& early = matcher_.early(id);
  if (!fits(receive, early.from, early.envelope)) return;
  if (early.offer) {
    accept(early.from, *early.offer, receive);
  } else if (!early.complete) {
    early.wanted_by = receive;
    return;
  } else {
    fill(receive, early.place());
    complete(receive);
  }
  matcher_.drop(id);
}

}  // namespace tutti
