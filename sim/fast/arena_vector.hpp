#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>

namespace tutti::fast {

/// A growing array of 16 bytes beside its items. What it outgrows stays unused: the memory belongs to a resource that
/// outlives it and gives back all at once. Not copied; the owner names the resource at each insertion.
template <class Item>
class ArenaVector {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  ArenaVector() = default;
  ArenaVector(const ArenaVector&) = delete;  // both would write to the same items
  ArenaVector& operator=(const ArenaVector&) = delete;
  ArenaVector(ArenaVector&&) = default;
  ArenaVector& operator=(ArenaVector&&) = default;

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Item* begin() { return items_; }
  Item* end() { return items_ + size_; }
  const Item* begin() const { return items_; }
  const Item* end() const { return items_ + size_; }
  Item& operator[](std::size_t i) { return items_[i]; }
  Item& back() { return items_[size_ - 1]; }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  /// Brings its end into the cache, which is about to change.
  void fetch_end() const { __builtin_prefetch(items_ + size_); }
  Item& push_back(const Item& item, std::pmr::memory_resource& memory) {
    if (size_ == room_) grow(memory);
    return items_[size_++] = item;
  }

 private:
  void grow(std::pmr::memory_resource& memory) {
    room_ = std::max(2u, 2 * room_);
    Item* const wider = static_cast<Item*>(memory.allocate(room_ * sizeof(Item), alignof(Item)));
    std::copy(begin(), end(), wider);
    items_ = wider;
  }

  Item* items_ = nullptr;
  std::uint32_t size_ = 0, room_ = 0;
};

}  // namespace tutti::fast
