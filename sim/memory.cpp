#include "sim/memory.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

std::int64_t CallMemory::take(std::int64_t piece_bytes, const Compute::Temporary& cost) {
  bytes += piece_bytes;
  if (cost.seconds_per_byte == 0) return 0;
  if (piece_bytes >= cost.mapped_from_bytes) return piece_bytes;
  pooled += piece_bytes;
  largest = std::max(largest, piece_bytes);
  const bool trimmed = pooled >= std::max(cost.trimmed_from_bytes, 2 * largest);
  return trimmed ? pooled - std::exchange(fresh, pooled) : 0;
}

}  // namespace tutti
