// Messages that are offered: read where they lie, by one or by both, or sent.
#include <algorithm>
#include <cstring>

#include "runtime/shm/peer.hpp"

namespace tutti::shm {
namespace {

// From here on two copy faster than one.
constexpr std::uint64_t kSharedFrom = 48 << 10;

}  // namespace

void Peer::accept(std::uint64_t offer, std::uint64_t bytes, const ReceiveBuffer& where, Inbox& inbox) {
  const auto found =
      std::find_if(zero_copies_.begin(), zero_copies_.end(), [&](const ZeroCopy& one) { return one.number == offer; });
  if (found == zero_copies_.end()) return have_sent(offer, bytes, where);
  const ZeroCopy source = *found;
  *found = zero_copies_.back();
  zero_copies_.pop_back();
  if (can_share(source, bytes, where)) return share(source, bytes, where, inbox);
  if (!(where.in_parts ? read_parts(source, bytes, where, inbox) : read(source, bytes, where.into))) {
    cross_memory_from_bytes_ = kNoCrossMemory;
    return have_sent(offer, bytes, where);
  }
  if (!where.in_parts) have_read(source, inbox);
  inbox.received(where.ticket);
}

void Peer::have_read(const ZeroCopy& source, Inbox& inbox) {
  notices_.push_back({CellKind::done, source.number});
  pump(inbox);
}

void Peer::have_sent(std::uint64_t offer, std::uint64_t bytes, const ReceiveBuffer& where) {
  arriving_.push_back({offer, Cursor(where.into), bytes, where.ticket, where.in_parts});
  notices_.push_back({CellKind::accept, offer});
}

/// Where messages go both ways, both are busy anyway.
bool Peer::can_share(const ZeroCopy& source, std::uint64_t bytes, const ReceiveBuffer& where) const {
  return shares_work_ && bytes >= kSharedFrom && !where.in_parts && where.into.is_contiguous() && offered_.empty() &&
         streams_.empty() && messages_.empty() && (!source.in_heap || is_in_own_heap(where.into));
}

void Peer::share(const ZeroCopy& source, std::uint64_t bytes, const ReceiveBuffer& where, Inbox& inbox) {
  const std::uint64_t half = bytes / 2 / kLine * kLine;
  std::byte* const first = where.into.first;
  const auto place = source.in_heap ? static_cast<std::uint64_t>(first - own_heap_.memory())
                                    : static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(first));
  notices_.push_back({CellKind::help, source.number, half, place});
  pump(inbox);
  const bool done = read(source, half, Region::contiguous(first, half));
  shared_.push_back({source.number, bytes, where, !done});
}

/// False where the system refuses.
bool Peer::help(const Cell& cell) {
  const auto found = std::find_if(offered_.begin(), offered_.end(),
                                  [&](const Offer& offer) { return offer.number == cell.about.number; });
  const Region& what = found->message.what;
  const std::size_t begin = cell.about.bytes, bytes = what.bytes() - begin;
  const bool in_own_heap = is_in_own_heap(what);
  return copy_pieces(bytes, from_end_, [&](std::size_t first, std::size_t size) {
    const std::size_t at = begin + first;
    if (!in_own_heap) return memory_.write(cell.about.place + at, what.first + at, size);
    std::memcpy(heap_->memory() + cell.about.place + at, what.first + at, size);
    return true;
  });
}

/// False where the system refuses.
bool Peer::read(const ZeroCopy& source, std::uint64_t bytes, const Region& into) {
  if (into.is_contiguous())
    return copy_pieces(bytes, from_end_, [&](std::size_t first, std::size_t size) {
      if (!source.in_heap) return memory_.read(into.first + first, source.place + first, size);
      std::memcpy(into.first + first, heap_->memory() + source.place + first, size);
      return true;
    });
  if (source.in_heap) {
    Cursor(into).write(heap_->memory() + source.place, bytes);
    return true;
  }
  std::uint64_t place = source.place;
  for (Cursor cursor(into); cursor.left() > 0;) {
    const auto piece = cursor.next(cursor.left());
    if (!memory_.read(piece.data(), place, piece.size())) return false;
    place += piece.size();
  }
  return true;
}

/// False where the system refuses, and nothing has been handed over.
bool Peer::read_parts(const ZeroCopy& source, std::uint64_t bytes, const ReceiveBuffer& where, Inbox& inbox) {
  if (source.in_heap) {
    inbox.part(where.ticket, heap_->memory() + source.place, bytes);
    have_read(source, inbox);
    return true;
  }
  constexpr std::size_t kPartBytes = 16 * kPartUnit;  // few calls, and yet they stay in the second cache
  const bool in_place = where.into.bytes() > 0;
  if (!in_place) staged_.resize(kPartBytes);
  for (std::uint64_t done = 0; done < bytes; done += kPartBytes) {
    const std::size_t size = std::min<std::uint64_t>(kPartBytes, bytes - done);
    std::byte* const part = in_place ? where.into.first + done : staged_.data();
    if (!memory_.read(part, source.place + done, size)) {
      if (done == 0) return false;
      inbox.failed(rank_, "its memory cannot be read any more");
      return true;
    }
    if (done + size == bytes) have_read(source, inbox);
    inbox.part(where.ticket, part, size);
  }
  return true;
}

}  // namespace tutti::shm
