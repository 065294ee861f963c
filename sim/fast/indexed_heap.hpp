#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/zeroed_array.hpp"

namespace tutti::fast {

/// Numbers, each at most once, ordered by a key that may change: a heap whose nodes have four children, which is
/// shallower than a binary one and reads neighbours in memory. Equal keys: the smaller number first. Where a number is
/// in the heap is for the caller to keep: `place(number)` refers to it.
class IntrusiveHeap {
 public:
  struct Entry {
    double key;
    std::uint32_t id;
    bool before(const Entry& other) const { return key != other.key ? key < other.key : id < other.id; }
  };

  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.front(); }
  const std::vector<Entry>& entries() const { return entries_; }

  template <class Place>
  void add(const Entry& entry, const Place& place) {
    entries_.push_back(entry);
    rise(entries_.size() - 1, entry, place);
  }
  template <class Place>
  void change(const Entry& entry, const Place& place) {
    const std::size_t at = place(entry.id);
    if (at > 0 && entry.before(entries_[(at - 1) / 4]))
      rise(at, entry, place);
    else
      sink(at, entry, place);
  }
  template <class Place>
  void remove(std::uint32_t id, const Place& place) {
    const std::uint32_t at = place(id);
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.id == id) return;
    place(last.id) = at;
    change(last, place);
  }

 private:
  template <class Place>
  void set(std::size_t at, const Entry& entry, const Place& place) {
    entries_[at] = entry;
    place(entry.id) = static_cast<std::uint32_t>(at);
  }
  template <class Place>
  void rise(std::size_t at, const Entry& entry, const Place& place) {
    for (; at > 0 && entry.before(entries_[(at - 1) / 4]); at = (at - 1) / 4) set(at, entries_[(at - 1) / 4], place);
    set(at, entry, place);
  }
  template <class Place>
  void sink(std::size_t at, const Entry& entry, const Place& place) {
    for (std::size_t child; (child = 4 * at + 1) < entries_.size();) {
      std::size_t least = child;
      for (std::size_t other = child + 1; other < child + 4 && other < entries_.size(); ++other)
        if (entries_[other].before(entries_[least])) least = other;
      if (!entries_[least].before(entry)) break;
      set(at, entries_[least], place);
      at = least;
    }
    set(at, entry, place);
  }

  std::vector<Entry> entries_;
};

/// One of whole numbers (0, 1, …), which keeps their places itself, in memory that only numbers that are used touch.
class IndexedHeap {
  static constexpr std::uint32_t kAbsent = ~0u;
  /// Kept inverted, so that zeros say kAbsent.
  struct Place {
    std::uint32_t& inverted;
    operator std::uint32_t() const { return ~inverted; }
    void operator=(std::uint32_t at) const { inverted = ~at; }
  };
  auto place() {
    return [this](std::uint32_t id) { return Place{(*places_)[id]}; };
  }

 public:
  bool empty() const { return heap_.empty(); }
  std::uint32_t top() const { return heap_.top().id; }
  double top_key() const { return heap_.top().key; }

  /// Adds the number, or moves it to its new place.
  void put(std::uint32_t id, double key) {
    if (id >= places_->size()) grow(id);
    if (place()(id) == kAbsent)
      heap_.add({key, id}, place());
    else
      heap_.change({key, id}, place());
  }
  void remove(std::uint32_t id) {
    if (id >= places_->size() || place()(id) == kAbsent) return;
    heap_.remove(id, place());
    place()(id) = kAbsent;
  }

 private:
  void grow(std::uint32_t id) {
    places_ = std::make_unique<ZeroedArray<std::uint32_t>>(std::bit_ceil(std::size_t{id} + 1));
    std::uint32_t at = 0;
    for (const IntrusiveHeap::Entry& entry : heap_.entries()) place()(entry.id) = at++;
  }

  IntrusiveHeap heap_;
  std::unique_ptr<ZeroedArray<std::uint32_t>> places_ = std::make_unique<ZeroedArray<std::uint32_t>>(1);  // by number
};

}  // namespace tutti::fast
