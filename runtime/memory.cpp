#include "runtime/memory.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace tutti {
namespace {

constexpr std::size_t kAlignment = 64;

void release_block(const ScratchPool::Block& block) { ::operator delete (block.bytes, std::align_val_t{kAlignment}); }

}  // namespace

ScratchPool::~ScratchPool() {
  for (const Block& block : free_) release_block(block);
}

ScratchPool::Block ScratchPool::take(std::size_t bytes) {
  const auto fitting = std::lower_bound(free_.begin(), free_.end(), bytes,
                                        [](const Block& block, std::size_t size) { return block.capacity < size; });
  // One far too large would be missed by who needs all of it.
  if (fitting != free_.end() && fitting->capacity / 4 <= std::max<std::size_t>(bytes, 1024)) {
    const Block found = *fitting;
    free_.erase(fitting);
    return found;
  }
  const std::size_t capacity = (std::max<std::size_t>(bytes, 256) + kAlignment - 1) / kAlignment * kAlignment;
  return {static_cast<std::byte*>(::operator new (capacity, std::align_val_t{kAlignment})), capacity};
}

void ScratchPool::give_back(const Block& block) {
  const auto place = std::lower_bound(free_.begin(), free_.end(), block.capacity,
                                      [](const Block& b, std::size_t size) { return b.capacity < size; });
  free_.insert(place, block);
  constexpr std::size_t kMostKept = 32;
  if (free_.size() <= kMostKept) return;
  release_block(free_.front());
  free_.erase(free_.begin());
}

void CallBuffers::begin(void* in, void* out, std::size_t element_bytes, const Reduction& reduction) {
  buffers_.clear();
  buffers_.push_back({static_cast<std::byte*>(in), 0, nullptr});
  buffers_.push_back({static_cast<std::byte*>(out), 0, nullptr});
  element_bytes_ = element_bytes;
  reduction_ = reduction;
}

View CallBuffers::add_scratch(ScratchPool& pool, const void* owner, Count elements) {
  if (elements < 0 || static_cast<std::size_t>(elements) > (std::size_t{1} << 62) / element_bytes_)
    throw std::length_error("scratch of " + std::to_string(elements) + " elements");
  const ScratchPool::Block block = pool.take(static_cast<std::size_t>(elements) * element_bytes_);
  buffers_.push_back({block.bytes, block.capacity, owner});
  return View::contiguous(static_cast<std::int32_t>(buffers_.size() - 1), 0, elements);
}

void CallBuffers::release(ScratchPool& pool, const void* owner) {
  for (std::size_t i = buffers_.size(); i-- > 2;) {
    Buffer& buffer = buffers_[i];
    if (!buffer.owner || (owner && buffer.owner != owner)) continue;
    pool.give_back({buffer.bytes, buffer.capacity});
    buffer = {};
  }
  while (buffers_.size() > 2 && !buffers_.back().owner) buffers_.pop_back();
}

}  // namespace tutti
