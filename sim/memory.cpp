#include <algorithm>
#include <utility>

#include "sim/simulation.hpp"

// What a rank's call has in memory: its buffers, and what it takes for itself.

namespace tutti {

std::int64_t Simulation::call_bytes(Rank rank) const {
  const BufferSizes sizes = buffer_sizes(experiment_.c, rank);
  return (sizes.in + sizes.out) * experiment_.c.element_bytes + temporaries_[static_cast<std::size_t>(rank)].bytes;
}

View Simulation::scratch(CallScope& scope, Count elements) {
  take_memory(scope.rank, elements * experiment_.c.element_bytes);
  return View::contiguous(buffers_[static_cast<std::size_t>(scope.rank)]++, 0, elements);
}

/// What the allocator kept from the calls before costs nothing; the processor is busy with pages that are fresh.
void Simulation::take_memory(Rank rank, std::int64_t bytes) {
  const Compute::Temporary& cost = machine_.compute.temporary;
  Temporary& taken = temporaries_[static_cast<std::size_t>(rank)];
  taken.bytes += bytes;
  if (cost.seconds_per_byte == 0 || bytes == 0) return;
  std::int64_t fresh = bytes;
  if (bytes <= cost.mapped_above_bytes) {
    taken.pooled += bytes;
    taken.largest = std::max(taken.largest, bytes);
    const bool trimmed = taken.pooled >= std::max(cost.trimmed_from_bytes, 2 * taken.largest);
    fresh = trimmed ? taken.pooled - std::exchange(taken.fresh, taken.pooled) : 0;
  }
  if (fresh > 0)
    enqueue(rank, {Work::Kind::fresh_memory, 0, static_cast<double>(fresh) * cost.seconds_per_byte, 0, 0, false});
}

}  // namespace tutti
