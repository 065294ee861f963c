#include "sim/working_memory.hpp"

#include <stdexcept>
#include <string>

#include "algos/call.hpp"

namespace tutti {

void expect_scratch(Count elements) {
  if (elements < 0) throw std::length_error("scratch of " + std::to_string(elements) + " elements");
}

WorkingMemory::WorkingMemory(const Compute& compute, const Case& c, std::size_t ranks)
    : compute_(compute), c_(c), next_buffer_(ranks, View::kFirstScratch) {
  if (compute.temporary.costs() || compute.copy.by_call || compute.reduce.by_call) pages_.resize(ranks);
}

View WorkingMemory::scratch(Rank rank, Count elements, DataMoves& data) {
  expect_scratch(elements);
  const View taken = data ? data->scratch(rank, elements) : View::contiguous(next_buffer_[rank]++, 0, elements);
  if (pages_.empty()) return taken;
  has_taken_ = true;
  pages_[rank].take(taken.buffer, elements * c_.element_bytes, compute_.temporary);
  return taken;
}

double WorkingMemory::seconds_per_byte(Rank rank, std::int64_t bytes, const Compute::Rate& rate) const {
  std::int64_t call_bytes = 0;
  if (rate.by_call) {
    const BufferSizes sizes = buffer_sizes(c_, rank);
    call_bytes = (sizes.in + sizes.out) * c_.element_bytes + pages_[rank].bytes();
  }
  return rate.seconds_per_byte_at(bytes, call_bytes);
}

}  // namespace tutti
