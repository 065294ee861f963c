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
  if (!read(lent, bytes, where, inbox)) {
    read_from_bytes_ = kNeverRead;
    return have_sent(offer, bytes, where);
  }
  notices_.push_back({CellKind::done, offer});
  pump(inbox);
  inbox.landed(where.ticket);
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
  const bool done = read(lent, half, {Region::contiguous(first, half), where.ticket}, inbox);
  shared_.push_back({lent.number, bytes, where, !done});
}

/// False where the system refuses.
bool Peer::help(const Cell& cell) {
  const auto found = std::find_if(offered_.begin(), offered_.end(),
                                  [&](const Offer& offer) { return offer.number == cell.about.number; });
  const Region& what = found->message.what;
  const std::size_t begin = cell.about.bytes, bytes = what.bytes() - begin;
  if (!can_lend(what)) return memory_.write(cell.about.place + begin, what.first + begin, bytes);
  std::memcpy(heap_->memory() + cell.about.place + begin, what.first + begin, bytes);
  return true;
}

/// False where the system refuses, and nothing has been handed over.
bool Peer::read(const Lent& lent, std::uint64_t bytes, const Landing& where, Inbox& inbox) {
  if (lent.in_heap) {
    const std::byte* const message = heap_->memory() + lent.place;
    where.in_parts ? inbox.part(where.ticket, message, bytes) : Cursor(where.into).write(message, bytes);
    return true;
  }
  if (where.in_parts) {
    constexpr std::size_t kStagedBytes = 16 * kPartUnit;  // few calls, and yet they stay in the second cache
    staged_.resize(kStagedBytes);
    for (std::uint64_t done = 0; done < bytes; done += staged_.size()) {
      const std::size_t size = std::min<std::uint64_t>(staged_.size(), bytes - done);
      if (!memory_.read(staged_.data(), lent.place + done, size)) {
        if (done == 0) return false;
        gone_ = true;
        inbox.failed(rank_, "its memory cannot be read any more");
        return true;
      }
      inbox.part(where.ticket, staged_.data(), size);
    }
    return true;
  }
  std::uint64_t place = lent.place;
  for (Cursor into(where.into); into.left() > 0;) {
    const auto piece = into.next(into.left());
    if (!memory_.read(piece.data(), place, piece.size())) return false;
    place += piece.size();
  }
  return true;
}

}  // namespace tutti::shm
