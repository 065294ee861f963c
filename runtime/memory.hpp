#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/reduction.hpp"
#include "runtime/region.hpp"

namespace tutti {

/// Blocks of memory that are kept for the next who needs one: no page is touched for the first time once warm.
class ScratchPool {
 public:
  struct Block {
    std::byte* bytes = nullptr;
    std::size_t capacity = 0;
  };
  ScratchPool() = default;
  ScratchPool(const ScratchPool&) = delete;
  ~ScratchPool();
  /// Aligned to 64 bytes. Throws std::bad_alloc.
  Block take(std::size_t bytes);
  void give_back(const Block& block);

 private:
  std::vector<Block> free_;  // ascending in capacity
};

/// What the views of one call refer to: buffer 0 is in, 1 is out, then scratch.
class CallBuffers {
 public:
  void begin(void* in, void* out, std::size_t element_bytes, const Reduction& reduction);
  std::size_t element_bytes() const { return element_bytes_; }
  const Reduction& reduction() const { return reduction_; }

  /// The bytes that a view of this call names. The view is inside its buffer.
  Region region(const View& view) const {
    std::byte* const base = buffers_[view.buffer].bytes;
    const std::size_t e = element_bytes_;
    return {base + static_cast<std::size_t>(view.first) * e, static_cast<std::size_t>(view.block) * e,
            static_cast<std::size_t>(view.stride) * e, static_cast<std::size_t>(view.repeats),
            static_cast<std::size_t>(view.last) * e};
  }
  View add_scratch(ScratchPool& pool, const void* owner, Count elements);
  /// Gives back the scratch of this owner; of all where the owner is nullptr.
  void release(ScratchPool& pool, const void* owner);

 private:
  struct Buffer {
    std::byte* bytes = nullptr;
    std::size_t capacity = 0;     // scratch alone
    const void* owner = nullptr;  // of scratch; nullptr: the caller's buffer, or given back
  };
  std::vector<Buffer> buffers_;
  std::size_t element_bytes_ = 1;
  Reduction reduction_;
};

}  // namespace tutti
