#pragma once

#include <map>
#include <memory>

#include "runtime/shm/segment.hpp"

namespace tutti::shm {

/// Memory of a rank that its peers have mapped too. Nothing of it is reserved until it is asked for; what is given back
/// is kept for the next who asks. One thread.
class Heap {
 public:
  /// `segment` is empty.
  explicit Heap(std::shared_ptr<Segment> segment, Segment::FetchSeconds seconds = fetch_seconds);
  /// Aligned to 4096 bytes. Throws std::bad_alloc.
  void* allocate(std::size_t bytes);
  void release(void* memory);

 private:
  std::shared_ptr<Segment> segment_;
  Segment::FetchSeconds seconds_;
  std::size_t handed_out_ = 0;  // up to here, once at least: its pages have been looked at, and nothing else has
  std::map<std::size_t, std::size_t> free_, taken_;  // first byte, bytes
};

}  // namespace tutti::shm
