#include "sim/scratch_pages.hpp"

#include <algorithm>

namespace tutti {

void ScratchPages::take(std::int32_t buffer, std::int64_t piece_bytes, const Compute::Temporary& cost) {
  bytes_ += piece_bytes;
  if (cost.seconds_per_byte == 0) return;
  if (pieces_.empty()) first_buffer_ = buffer;
  pieces_.push_back({piece_bytes, 0, 0});
  if (piece_bytes >= cost.mapped_from_bytes) return;
  pooled_ += piece_bytes;
  largest_ = std::max(largest_, piece_bytes);
}

std::int64_t ScratchPages::touch(const View& written, int element_bytes, const Compute::Temporary& cost) {
  if (pieces_.empty() || written.buffer < first_buffer_ || written.empty()) return 0;
  Piece& piece = pieces_[static_cast<std::size_t>(written.buffer - first_buffer_)];
  const bool untouched = piece.touched_first == piece.touched_end;
  const Count first = untouched ? written.first : std::min(piece.touched_first, written.first),
              end = untouched ? written.end() : std::max(piece.touched_end, written.end()),
              before = piece.touched_end - piece.touched_first;
  piece.touched_first = first;
  piece.touched_end = end;
  const bool trimmed = pooled_ >= std::max(cost.trimmed_from_bytes, 2 * largest_);
  if (piece.bytes < cost.mapped_from_bytes && !trimmed) return 0;
  return std::min(end - first - before, written.elements()) * element_bytes;
}

}  // namespace tutti
