#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace tutti {

/// Items by number, used again after they were given back; the last one given back is used first. References hold while
/// others are put and given back.
template <class Item>
class Slots {
 public:
  std::uint32_t put(Item item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    items_[number] = std::move(item);
    return number;
  }
  /// What was there: in its place is one that nobody has set.
  Item give_back(std::uint32_t number) {
    free_.push_back(number);
    return std::exchange(items_[number], Item());
  }
  Item& operator[](std::size_t number) { return items_[number]; }
  const Item& operator[](std::size_t number) const { return items_[number]; }
  /// All numbers that were ever given out are below it.
  std::size_t size() const { return items_.size(); }

 private:
  std::deque<Item> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tutti
