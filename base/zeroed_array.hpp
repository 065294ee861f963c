#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace tutti {

/// So many items of zeros, which the items must be valid with. Of many, those that are never touched take neither time
/// nor memory: the system gives pages of zeros.
template <class Item>
class ZeroedArray {
  static_assert(std::is_trivially_destructible_v<Item> && std::is_trivially_move_constructible_v<Item>);

 public:
  explicit ZeroedArray(std::size_t size) : size_(size) {
    if (is_mapped()) {
      void* const pages = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (pages == MAP_FAILED) throw std::bad_alloc();
      items_ = static_cast<Item*>(pages);
    } else {
      items_ = static_cast<Item*>(std::memset(operator new(bytes(), kAlignment), 0, bytes()));
    }
  }
  ~ZeroedArray() {
    if (is_mapped())
      munmap(items_, bytes());
    else
      operator delete(items_, kAlignment);
  }
  ZeroedArray(const ZeroedArray&) = delete;
  ZeroedArray& operator=(const ZeroedArray&) = delete;

  std::size_t size() const { return size_; }
  Item& operator[](std::size_t i) { return items_[i]; }
  const Item& operator[](std::size_t i) const { return items_[i]; }
  void fetch(std::size_t i) const { __builtin_prefetch(items_ + i); }

 private:
  static constexpr std::align_val_t kAlignment{alignof(Item)};
  /// Where a call of the system and its pages cost less than zeros do.
  static constexpr std::size_t kMappedFrom = std::size_t{1} << 18;

  std::size_t bytes() const { return size_ * sizeof(Item); }
  bool is_mapped() const { return bytes() >= kMappedFrom; }

  const std::size_t size_;
  Item* items_;
};

}  // namespace tutti
