#include "runtime/multicast/receiver.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tutti::multicast {
namespace {

constexpr Sequence kReportEvery = kWindow / 4;

}  // namespace

Receiver::Arrival Receiver::arrived(const Header& header, const std::byte* piece, std::size_t bytes) {
  if (header.from < 0 || static_cast<std::size_t>(header.from) >= sources_.size()) return {};
  const Sequence count = packets_of(header.envelope.bytes, payload_), place = header.sequence - header.first;
  if (place >= count || bytes != std::min<std::uint64_t>(payload_, header.envelope.bytes - place * payload_))
    return {};  // no packet of ours
  Source& source = sources_[header.from];
  if (source.arriving && (header.first != source.first || header.envelope.bytes != source.bytes) &&
      header.sequence - source.has.next < kWindow)
    return {};  // it would be put where there is no room for it
  Report& has = source.has;
  has.latest = header.sequence;
  const Sequence beyond = header.sequence - has.next;  // wraps where it is before
  if (beyond >= kWindow || has.beyond >> beyond & 1) {
    if (!header.answer) return {};
    source.unreported = 0;
    return {false, has};
  }

  put(source, header, piece, bytes);
  has.beyond |= std::uint64_t{1} << beyond;
  const int come = std::countr_one(has.beyond);
  has.beyond = come == 64 ? 0 : has.beyond >> come;
  has.next += static_cast<Sequence>(come);
  const bool overtook = header.sequence > source.highest;
  source.highest = std::max(source.highest, header.sequence + 1);
  const bool whole = has.next == header.first + count;
  if (whole) {
    source.arriving = false;
    if (source.packed) Cursor(source.where.into).write(source.packed.get(), header.envelope.bytes);
    source.packed.reset();
    inbox_.received(source.where.ticket);
  }
  if (!whole && !overtook && !header.answer && ++source.unreported < kReportEvery) return {true, {}};
  source.unreported = 0;
  return {true, has};
}

void Receiver::put(Source& source, const Header& header, const std::byte* piece, std::size_t bytes) {
  if (!source.arriving) {
    source.arriving = true;
    source.first = header.first;
    source.bytes = header.envelope.bytes;
    source.where = inbox_.receive_buffer(header.from, header.envelope);
    if (!source.where.into.is_contiguous())
      source.packed = std::make_unique_for_overwrite<std::byte[]>(header.envelope.bytes);
  }
  std::byte* const first = source.packed ? source.packed.get() : source.where.into.first;
  if (bytes > 0) std::memcpy(first + (header.sequence - header.first) * payload_, piece, bytes);
}

}  // namespace tutti::multicast
