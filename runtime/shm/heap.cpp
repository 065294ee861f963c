#include "runtime/shm/heap.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace tutti::shm {
namespace {

constexpr std::size_t kHeapPage = 4096;

}  // namespace

Heap::Heap(std::shared_ptr<Segment> segment, Segment::FetchSeconds seconds)
    : segment_(std::move(segment)), seconds_(std::move(seconds)) {
  if (const std::size_t whole = segment_->bytes() / kHeapPage * kHeapPage; whole > 0) free_[0] = whole;
}

void* Heap::allocate(std::size_t bytes) {
  if (bytes > segment_->bytes()) throw std::bad_alloc();
  const std::size_t wanted = std::max<std::size_t>(1, (bytes + kHeapPage - 1) / kHeapPage) * kHeapPage;
  const auto place = std::find_if(free_.begin(), free_.end(), [&](const auto& gap) { return gap.second >= wanted; });
  if (place == free_.end()) throw std::bad_alloc();
  const auto [first, room] = *place;
  segment_->reserve(first, wanted);
  if (const std::size_t begin = std::max(first, handed_out_), end = first + wanted; begin < end) {
    segment_->replace_far_pages(begin, end - begin, seconds_);
    handed_out_ = end;
  }
  free_.erase(place);
  if (room > wanted) free_[first + wanted] = room - wanted;
  taken_[first] = wanted;
  return segment_->memory() + first;
}

void Heap::release(void* memory) {
  const auto taken = taken_.find(static_cast<std::size_t>(static_cast<std::byte*>(memory) - segment_->memory()));
  auto gap = free_.emplace(taken->first, taken->second).first;
  taken_.erase(taken);
  if (const auto after = std::next(gap); after != free_.end() && gap->first + gap->second == after->first) {
    gap->second += after->second;
    free_.erase(after);
  }
  if (gap == free_.begin()) return;
  if (const auto before = std::prev(gap); before->first + before->second == gap->first) {
    before->second += gap->second;
    free_.erase(gap);
  }
}

}  // namespace tutti::shm
