#pragma once

#include <cstdint>

#include "models/machine.hpp"

namespace tutti {

/// Memory that a rank's call took for itself so far: in all; in pieces from the allocator's pool, of them the largest,
/// and how much of them is fresh.
struct CallMemory {
  std::int64_t bytes = 0, pooled = 0, largest = 0, fresh = 0;

  /// Takes one more piece. Returns how many bytes of fresh pages that touches: what the allocator kept from the calls
  /// before costs nothing.
  std::int64_t take(std::int64_t piece_bytes, const Compute::Temporary& cost);
};

}  // namespace tutti
