#include "runtime/shm/peer.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace tutti::shm {

Peer::~Peer() {
  if (process_ >= 0) close(process_);
}

bool Peer::send(const Envelope& envelope, const Region& what, Ticket ticket, Inbox&) {
  const Message message{envelope, what, ticket};
  if (messages_.empty() && out_.has_room()) return put(message);
  messages_.push_back(message);
  return false;
}

bool Peer::put(const Message& message) {
  const Envelope& envelope = message.envelope;
  Cell& cell = out_.cell();
  cell.lane = envelope.lane;
  cell.group = envelope.group;
  cell.call = envelope.call;
  const bool here = envelope.bytes <= kSlotBytes;
  if (envelope.bytes <= kInline) {
    cell.kind = CellKind::small;
    cell.bytes = static_cast<std::uint8_t>(envelope.bytes);
    Cursor(message.what).read(cell.payload, envelope.bytes);
  } else if (here) {
    cell.kind = CellKind::eager;
    cell.about.bytes = envelope.bytes;
    Cursor(message.what).read(out_.slot(), envelope.bytes);
  } else {
    cell.kind = CellKind::offer;
    cell.about.bytes = envelope.bytes;
    cell.about.number = next_offer_;
    offered_.emplace(next_offer_++, message);
  }
  out_.publish();
  return here;
}

void Peer::accept(std::uint64_t offer, const Region& into, Ticket ticket, Inbox&) {
  accepted_.push_back({Cursor(into), ticket});
  accepts_.push_back(offer);
}

void Peer::put_chunk(Inbox& inbox) {
  Stream& stream = streams_.front();
  Cell& cell = out_.cell();
  cell.kind = CellKind::chunk;
  cell.about.bytes = std::min(stream.bytes.left(), kSlotBytes);
  stream.bytes.read(out_.slot(), cell.about.bytes);
  out_.publish();
  if (stream.bytes.left() > 0) return;
  const Ticket ticket = stream.ticket;
  streams_.pop_front();
  inbox.sent(ticket);
}

bool Peer::pump(Inbox& inbox) {
  bool moved = false;
  for (; out_.has_room(); moved = true) {
    if (!accepts_.empty()) {
      Cell& cell = out_.cell();
      cell.kind = CellKind::accept;
      cell.about.number = accepts_.front();
      accepts_.pop_front();
      out_.publish();
    } else if (!messages_.empty()) {
      const Message message = messages_.front();
      messages_.pop_front();
      if (put(message)) inbox.sent(message.ticket);
    } else if (!streams_.empty()) {
      put_chunk(inbox);
    } else {
      break;
    }
  }
  return moved;
}

void Peer::take(Inbox& inbox) {
  const Cell& cell = in_.cell();
  const Envelope envelope{cell.group, cell.call, cell.lane,
                          cell.kind == CellKind::small ? cell.bytes : cell.about.bytes};
  switch (cell.kind) {
    case CellKind::small:
      inbox.deliver(rank_, envelope, cell.payload);
      break;
    case CellKind::eager:
      inbox.deliver(rank_, envelope, in_.slot());
      break;
    case CellKind::offer:
      inbox.offered(rank_, envelope, cell.about.number);
      break;
    case CellKind::accept: {
      const Message message = offered_.extract(cell.about.number).mapped();
      streams_.push_back({Cursor(message.what), message.ticket});
      break;
    }
    case CellKind::chunk:
      take_chunk(inbox);
      break;
  }
  in_.consume();
}

void Peer::take_chunk(Inbox& inbox) {
  Stream& stream = accepted_.front();
  stream.bytes.write(in_.slot(), in_.cell().about.bytes);
  if (stream.bytes.left() > 0) return;
  const Ticket ticket = stream.ticket;
  accepted_.pop_front();
  inbox.landed(ticket);
}

bool Peer::progress(Inbox& inbox) {
  bool moved = false;
  // Between them: when both send to each other, what comes in must not keep what goes out waiting.
  for (int cells = 0; cells < 4 && in_.has_cell(); ++cells, moved = true) take(inbox);
  if (accepts_.empty() && messages_.empty() && streams_.empty()) return moved;
  return pump(inbox) || moved;
}

void Peer::check(Inbox& inbox) {
  if (gone_) return;
  pollfd process{process_, POLLIN, 0};
  const bool ended = process_ >= 0 && poll(&process, 1, 0) == 1;
  const bool left = reinterpret_cast<const Header*>(segment_->memory())->left.load(std::memory_order_acquire) != 0;
  if (!ended && !left) return;
  if (in_.has_cell()) return;  // all that it has sent is taken first
  gone_ = true;
  left ? inbox.left(rank_) : inbox.failed(rank_, "its process has ended");
}

}  // namespace tutti::shm
