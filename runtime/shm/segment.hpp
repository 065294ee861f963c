#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/shm/page_latency.hpp"

namespace tutti::shm {

/// Shared memory. It never has a name: whoever may look at its maker's open files can map it while the maker keeps the
/// descriptor, and when the last process that maps it ends, of whatever cause, it is gone.
class Segment {
 public:
  using FetchSeconds = std::function<double(const std::byte* page)>;

  Segment() = default;
  /// In the folder TUTTI_SHM_FOLDER or /dev/shm. Zeroed, its memory reserved: near memory (page_latency.hpp), as far as
  /// it can be had. Throws TeamError, as where the folder is full.
  static Segment make(std::size_t bytes, const FetchSeconds& seconds = fetch_seconds);
  /// As make, but nothing is reserved: not to be touched before reserve().
  static Segment make_empty(std::size_t bytes);
  /// Throws std::bad_alloc where there is not enough memory.
  void reserve(std::size_t first, std::size_t bytes);
  /// Pages of this part that are far (page_latency.hpp) become others, and zero, as far as that can be; of more than
  /// 16 MiB, or where more than a third are far, none. `first`: of a page.
  /// Throws std::bad_alloc.
  void replace_far_pages(std::size_t first, std::size_t bytes, const FetchSeconds& seconds = fetch_seconds);
  /// Throws TeamError.
  static Segment attach(pid_t maker, int descriptor, std::size_t bytes);
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  ~Segment();

  std::byte* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }
  /// Nobody can attach any more.
  void close();

 private:
  bool change(int how, std::size_t first, std::size_t bytes);

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace tutti::shm
