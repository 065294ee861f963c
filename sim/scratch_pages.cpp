#include "sim/scratch_pages.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tutti {

void ScratchPages::take(std::int32_t buffer, std::int64_t piece_bytes, const Compute::Temporary& cost) {
  bytes_ += piece_bytes;
  if (!cost.costs()) return;
  if (pieces_.empty()) first_buffer_ = buffer;
  pieces_.push_back({piece_bytes, 0, 0, {}});
  if (piece_bytes >= cost.mapped_from_bytes) return;
  pooled_ += piece_bytes;
  largest_ = std::max(largest_, piece_bytes);
}

/// Where the allocator begins to trim is known within a factor of eight at best, as it depends on what else was freed:
/// from a quarter of trimmed_from_bytes to twice as much, ever more calls pay.
double ScratchPages::trimmed_part(const Compute::Temporary& cost) const {
  if (pooled_ < 2 * largest_ || cost.trimmed_from_bytes == std::numeric_limits<std::int64_t>::max()) return 0;
  const double doublings = std::log2(4 * static_cast<double>(pooled_) / static_cast<double>(cost.trimmed_from_bytes));
  return std::clamp(doublings / 3, 0.0, 1.0);
}

double ScratchPages::mapped_part(std::int64_t piece_bytes, const Compute::Temporary& cost) {
  if (piece_bytes >= cost.all_mapped_from_bytes) return 1;
  return std::log2(static_cast<double>(piece_bytes) / static_cast<double>(cost.mapped_from_bytes)) /
         std::log2(static_cast<double>(cost.all_mapped_from_bytes) / static_cast<double>(cost.mapped_from_bytes));
}

double ScratchPages::fresh_part(const Piece& piece, const Compute::Temporary& cost) const {
  return piece.bytes >= cost.mapped_from_bytes ? mapped_part(piece.bytes, cost) : trimmed_part(cost);
}

std::int64_t ScratchPages::touch(const View& written, int element_bytes, const Compute::Temporary& cost) {
  if (pieces_.empty() || written.buffer < first_buffer_ || written.empty()) return 0;
  Piece& piece = pieces_[written.buffer - first_buffer_];
  const bool untouched = piece.touched_first == piece.touched_end;
  const Count first = untouched ? written.first : std::min(piece.touched_first, written.first),
              end = untouched ? written.end() : std::max(piece.touched_end, written.end()),
              before = piece.touched_end - piece.touched_first;
  piece.touched_first = first;
  piece.touched_end = end;
  const std::int64_t bytes = std::min(end - first - before, written.elements()) * element_bytes;
  return std::llround(static_cast<double>(bytes) * fresh_part(piece, cost));
}

/// Stretches that meet become one, as in libraries' caches of registrations.
double ScratchPages::register_with_adapter(const View& where, const Compute::Temporary& cost) {
  if (pieces_.empty() || where.buffer < first_buffer_ || where.empty()) return 0;
  Piece& piece = pieces_[where.buffer - first_buffer_];
  std::vector<Stretch>& all = piece.registered;
  const auto first =
      std::partition_point(all.begin(), all.end(), [&](const Stretch& s) { return s.end < where.first; });
  const auto end = std::partition_point(first, all.end(), [&](const Stretch& s) { return s.first <= where.end(); });
  if (first == end) {
    all.insert(first, {where.first, where.end()});
  } else {
    if (first->first <= where.first && where.end() <= first->end) return 0;
    *first = {std::min(first->first, where.first), std::max(std::prev(end)->end, where.end())};
    all.erase(std::next(first), end);
  }
  return fresh_part(piece, cost);
}

}  // namespace tutti
