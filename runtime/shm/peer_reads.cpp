// Messages that are offered: read where they lie, by one or by both, or sent.
#include <algorithm>
#include <cstring>

#include "runtime/shm/peer.hpp"

namespace tutti::shm {
namespace {

// From here on two copy faster than one.
constexpr std::uint64_t kSharedFrom = 48 << 10;

}  // namespace

void Peer::accept(std::uint64_t offer, std::uint64_t bytes, const Landing& where, Inbox& inbox) {
  const auto found = std::find_if(lent_.begin(), lent_.end(), [&](const Lent& one) { return one.number == offer; });
  if (found == lent_.end()) return have_sent(offer, bytes, where);
  const Lent lent = *found;
  *found = lent_.back();
  lent_.pop_back();
  if (can_share(lent, bytes, where)) return share(lent, bytes, where, inbox);
  if (!(where.in_parts ? read_parts(lent, bytes, where, inbox) : read(lent, bytes, where.into))) {
    read_from_bytes_ = kNeverRead;
    return have_sent(offer, bytes, where);
  }
  if (!where.in_parts) have_read(lent, inbox);
  inbox.landed(where.ticket);
}

void Peer::have_read(const Lent& lent, Inbox& inbox) {
  notices_.push_back({CellKind::done, lent.number});
  pump(inbox);
}

void Peer::have_sent(std::uint64_t offer, std::uint64_t bytes, const Landing& where) {
  arriving_.push_back({offer, Cursor(where.into), bytes, where.ticket, where.in_parts});
  notices_.push_back({CellKind::accept, offer});
}

/// Where messages go both ways, both are busy anyway.
bool Peer::can_share(const Lent& lent, std::uint64_t bytes, const Landing& where) const {
  return shares_work_ && bytes >= kSharedFrom && !where.in_parts && where.into.is_contiguous() && offered_.empty() &&
         streams_.empty() && messages_.empty() && (!lent.in_heap || can_lend(where.into));
}

void Peer::share(const Lent& lent, std::uint64_t bytes, const Landing& where, Inbox& inbox) {
  const std::uint64_t half = bytes / 2 / kLine * kLine;
  std::byte* const first = where.into.first;
  const auto place = lent.in_heap ? static_cast<std::uint64_t>(first - own_heap_.memory())
                                  : static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(first));
  notices_.push_back({CellKind::help, lent.number, half, place});
  pump(inbox);
  const bool done = read(lent, half, Region::contiguous(first, half));
  shared_.push_back({lent.number, bytes, where, !done});
}

/// False where the system refuses.
bool Peer::help(const Cell& cell) {
  const auto found = std::find_if(offered_.begin(), offered_.end(),
                                  [&](const Offer& offer) { return offer.number == cell.about.number; });
  const Region& what = found->message.what;
  const std::size_t begin = cell.about.bytes, bytes = what.bytes() - begin;
  const bool lends = can_lend(what);
  return copy_pieces(bytes, from_end_, [&](std::size_t first, std::size_t size) {
    const std::size_t at = begin + first;
    if (!lends) return memory_.write(cell.about.place + at, what.first + at, size);
    std::memcpy(heap_->memory() + cell.about.place + at, what.first + at, size);
    return true;
  });
}

/// False where the system refuses.
bool Peer::read(const Lent& lent, std::uint64_t bytes, const Region& into) {
  if (into.is_contiguous())
    return copy_pieces(bytes, from_end_, [&](std::size_t first, std::size_t size) {
      if (!lent.in_heap) return memory_.read(into.first + first, lent.place + first, size);
      std::memcpy(into.first + first, heap_->memory() + lent.place + first, size);
      return true;
    });
  if (lent.in_heap) {
    Cursor(into).write(heap_->memory() + lent.place, bytes);
    return true;
  }
  std::uint64_t place = lent.place;
  for (Cursor cursor(into); cursor.left() > 0;) {
    const auto piece = cursor.next(cursor.left());
    if (!memory_.read(piece.data(), place, piece.size())) return false;
    place += piece.size();
  }
  return true;
}

/// False where the system refuses, and nothing has been handed over.
bool Peer::read_parts(const Lent& lent, std::uint64_t bytes, const Landing& where, Inbox& inbox) {
  if (lent.in_heap) {
    inbox.part(where.ticket, heap_->memory() + lent.place, bytes);
    have_read(lent, inbox);
    return true;
  }
  constexpr std::size_t kPartBytes = 16 * kPartUnit;  // few calls, and yet they stay in the second cache
  const bool in_place = where.into.bytes() > 0;
  if (!in_place) staged_.resize(kPartBytes);
  for (std::uint64_t done = 0; done < bytes; done += kPartBytes) {
    const std::size_t size = std::min<std::uint64_t>(kPartBytes, bytes - done);
    std::byte* const part = in_place ? where.into.first + done : staged_.data();
    if (!memory_.read(part, lent.place + done, size)) {
      if (done == 0) return false;
      inbox.failed(rank_, "its memory cannot be read any more");
      return true;
    }
    if (done + size == bytes) have_read(lent, inbox);
    inbox.part(where.ticket, part, size);
  }
  return true;
}

}  // namespace tutti::shm
