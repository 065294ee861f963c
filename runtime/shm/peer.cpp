#include "runtime/shm/peer.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

namespace tutti::shm {
namespace {

// A longer message is not sent before the peer has a place for it: else it would be copied twice where it has none.
constexpr std::uint64_t kEagerLimitBytes = 64 << 10;
// A message is often as long as the one before; what is longer than this waits for its bytes rather than for the first.
constexpr std::size_t kPreparedBytes = 2 << 10;
// More keep this core from going on for longer than they save the other.
constexpr std::size_t kHandedOverBytes = 2 << 10;
// A longer message is read where it lies, if it can be: one copy instead of two, for one notice more.
constexpr std::uint64_t kZeroCopyAboveBytes = 8 << 10;

}  // namespace

Peer::~Peer() {
  if (process_ >= 0) close(process_);
}

bool Peer::send(const Envelope& envelope, const Region& what, Ticket ticket, Inbox& inbox) {
  if (messages_.empty() && out_.has_room()) {
    if (put(envelope, what, ticket)) return true;
    if (!streams_.empty()) pump(inbox);
    return false;
  }
  messages_.push_back({envelope, what, ticket});
  return false;
}

bool Peer::send_at_once(const Envelope& envelope, const Region& what) {
  return envelope.bytes <= kSlotBytes && messages_.empty() && out_.has_room() && put(envelope, what, 0);
}

bool Peer::is_in_own_heap(const Region& what) const {
  return what.is_contiguous() && std::greater_equal<>{}(what.first, own_heap_.memory()) &&
         std::less<>{}(what.first, own_heap_.memory() + own_heap_.bytes());
}

bool Peer::put(const Envelope& envelope, const Region& what, Ticket ticket) {
  Cell& cell = out_.cell();
  cell.lane = envelope.lane;
  cell.group = envelope.group;
  cell.call = envelope.call;
  if (envelope.bytes <= kInline) {
    cell.kind = CellKind::small;
    cell.bytes = static_cast<std::uint8_t>(envelope.bytes);
    copy_out(what, cell.payload);
  } else if (envelope.bytes <= kSlotBytes) {
    cell.kind = CellKind::eager;
    cell.about.bytes = envelope.bytes;
    copy_out(what, out_.slot());
    out_.publish_with_slot();
    if (envelope.bytes <= kHandedOverBytes) out_.hand_over(envelope.bytes);
    out_.prepare(std::min(envelope.bytes, kPreparedBytes));
    return true;
  } else {
    const std::uint64_t number = next_number_++;
    cell.about.bytes = envelope.bytes;
    cell.about.number = number;
    if (envelope.bytes > kZeroCopyAboveBytes && is_in_own_heap(what)) {
      cell.kind = CellKind::zero_copy;
      cell.about.place = static_cast<std::uint64_t>(what.first - own_heap_.memory());
      offered_.push_back({number, {envelope, what, ticket}});
    } else if (envelope.bytes <= kEagerLimitBytes && envelope.bytes < cross_memory_from_bytes_) {
      cell.kind = CellKind::stream;
      Cursor bytes(what);
      bytes.read(out_.slot(), kSlotBytes);
      streams_.push_back({number, bytes, bytes.left(), ticket, false});
      out_.publish_with_slot();
      return false;
    } else {
      cell.kind = CellKind::offer;
      cell.about.place = what.is_contiguous() ? reinterpret_cast<std::uintptr_t>(what.first) : std::uintptr_t{0};
      offered_.push_back({number, {envelope, what, ticket}});
    }
  }
  out_.publish();
  return envelope.bytes <= kInline;
}

void Peer::put_chunk(Inbox& inbox) {
  Stream& stream = streams_.front();
  Cell& cell = out_.cell();
  cell.kind = CellKind::chunk;
  cell.about.bytes = std::min(stream.bytes.left(), kSlotBytes);
  cell.about.number = stream.number;
  stream.bytes.read(out_.slot(), cell.about.bytes);
  out_.publish_with_slot();
  if (stream.bytes.left() > 0) return;
  const Ticket ticket = stream.ticket;
  streams_.pop_front();
  inbox.sent(ticket);
}

bool Peer::pump(Inbox& inbox) {
  bool moved = false;
  for (; out_.has_room(); moved = true) {
    if (!notices_.empty()) {
      Cell& cell = out_.cell();
      const Notice& notice = notices_.front();
      cell.kind = notice.kind;
      cell.about.number = notice.number;
      cell.about.bytes = notice.bytes;
      cell.about.place = notice.place;
      notices_.pop_front();
      out_.publish();
    } else if (!messages_.empty()) {
      const Message message = messages_.front();
      messages_.pop_front();
      if (put(message.envelope, message.what, message.ticket)) inbox.sent(message.ticket);
    } else if (!streams_.empty()) {
      put_chunk(inbox);
    } else {
      break;
    }
  }
  return moved;
}

Peer::Message Peer::withdraw(std::uint64_t number) {
  const auto found =
      std::find_if(offered_.begin(), offered_.end(), [&](const Offer& offer) { return offer.number == number; });
  const Message message = found->message;
  *found = offered_.back();
  offered_.pop_back();
  return message;
}

void Peer::take(Inbox& inbox) {
  const Cell& cell = in_.cell();
  const Envelope envelope{cell.group, cell.call, cell.lane,
                          cell.kind == CellKind::small ? cell.bytes : cell.about.bytes};
  // Most cells are of two kinds, told by branches of their own: what follows can be under way before the line that says
  // the kind is here. A jump by table is foreseen less often; how often depends on the program's layout.
  if (cell.kind == CellKind::small) {
    inbox.deliver(rank_, envelope, cell.payload);
    return in_.consume();
  }
  if (cell.kind == CellKind::eager) {
    in_.fetch(std::min<std::size_t>(envelope.bytes, kPreparedBytes));
    inbox.deliver(rank_, envelope, in_.slot());
    in_.free_slot();
    return in_.consume();
  }
  switch (cell.kind) {
    case CellKind::small:
    case CellKind::eager:
      break;
    case CellKind::stream: {
      const ReceiveBuffer where = inbox.receive_buffer_or_parts(rank_, envelope);
      arriving_.push_back({cell.about.number, Cursor(where.into), envelope.bytes, where.ticket, where.in_parts});
      take_bytes(inbox, arriving_.size() - 1, kSlotBytes);
      break;
    }
    case CellKind::chunk: {
      std::size_t stream = 0;
      while (arriving_[stream].number != cell.about.number) ++stream;
      take_bytes(inbox, stream, cell.about.bytes);
      break;
    }
    case CellKind::zero_copy:
    case CellKind::offer:
      if (const bool in_heap = cell.kind == CellKind::zero_copy;
          in_heap || (envelope.bytes >= cross_memory_from_bytes_ && cell.about.place != 0))
        zero_copies_.push_back({cell.about.number, cell.about.place, in_heap});
      inbox.offered(rank_, envelope, cell.about.number);
      break;
    case CellKind::accept: {
      const Message message = withdraw(cell.about.number);
      streams_.push_back({cell.about.number, Cursor(message.what), message.envelope.bytes, message.ticket, false});
      break;
    }
    case CellKind::help:
      notices_.push_back({CellKind::helped, cell.about.number, help(cell) ? 1u : 0u});
      break;
    case CellKind::helped: {
      const auto found = std::find_if(shared_.begin(), shared_.end(),
                                      [&](const Shared& one) { return one.number == cell.about.number; });
      const Shared one = *found;
      *found = shared_.back();
      shared_.pop_back();
      if (one.refused || cell.about.bytes == 0) {
        cross_memory_from_bytes_ = kNoCrossMemory;
        have_sent(one.number, one.bytes, one.where);
      } else {
        notices_.push_back({CellKind::done, one.number});
        inbox.received(one.where.ticket);
      }
      break;
    }
    case CellKind::done:
      inbox.sent(withdraw(cell.about.number).ticket);
      break;
  }
  in_.consume();
}

/// What is in the slot.
void Peer::take_bytes(Inbox& inbox, std::size_t index, std::size_t bytes) {
  Stream& stream = arriving_[index];
  if (stream.in_parts)
    inbox.part(stream.ticket, in_.slot(), bytes);
  else
    stream.bytes.write(in_.slot(), bytes);
  in_.free_slot();
  stream.left -= bytes;
  if (stream.left > 0) return;
  const Ticket ticket = stream.ticket;
  stream = arriving_.back();
  arriving_.pop_back();
  inbox.received(ticket);
}

bool Peer::progress(Inbox& inbox) {
  // One alone: a look at the next cell, before anybody waits for it, would take its line from the core that fills it.
  const bool moved = in_.has_cell();
  if (moved) take(inbox);
  if (notices_.empty() && messages_.empty() && streams_.empty()) return moved;
  return pump(inbox) || moved;
}

void Peer::check_liveness(Inbox& inbox) {
  if (gone_) return;
  pollfd process{process_, POLLIN, 0};
  const bool ended = process_ >= 0 && poll(&process, 1, 0) == 1;
  const int left = reinterpret_cast<const Header*>(segment_->memory())->left.load(std::memory_order_acquire);
  if (!ended && left == Header::kStays) return;
  if (in_.has_cell()) return;  // all that it has sent is taken first
  gone_ = true;
  if (left == Header::kStays) return inbox.lost(rank_, "its process has ended");
  if (left >= Header::kLost) inbox.lost(left - Header::kLost, "so rank " + std::to_string(rank_) + " says");
  inbox.left(rank_);
}

}  // namespace tutti::shm
