#pragma once

#include <cstdint>
#include <vector>

namespace tutti {

/// Items by number, used again after they were given back; the last one given back is used first. Item must have a
/// member `next` that is free for use while the item is not taken. References hold until the next take.
template <class Item>
class Pool {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  void reserve(std::size_t items) { items_.reserve(items); }
  std::uint32_t take() {
    if (free_ == kNone) {
      items_.emplace_back();
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_;
    free_ = items_[number].next;
    return number;
  }
  void give_back(std::uint32_t number) {
    items_[number].next = free_;
    free_ = number;
  }
  Item& operator[](std::uint32_t number) { return items_[number]; }
  const Item& operator[](std::uint32_t number) const { return items_[number]; }
  /// Numbers that have ever been taken are below it.
  std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }

 private:
  std::vector<Item> items_;
  std::uint32_t free_ = kNone;
};

}  // namespace tutti
