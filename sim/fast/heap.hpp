#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::fast {

/// Small whole numbers (0, 1, …), each at most once, ordered by a key that may change: a heap whose nodes have four
/// children, which is shallower than a binary one and reads neighbours in memory. Equal keys: the smaller number first.
class Heap {
 public:
  static constexpr std::uint32_t kAbsent = ~0u;

  bool empty() const { return entries_.empty(); }
  std::uint32_t top() const { return entries_.front().id; }
  double top_key() const { return entries_.front().key; }

  /// Adds the number, or moves it to its new place.
  void put(std::uint32_t id, double key) {
    if (id >= position_.size()) position_.resize(std::size_t{id} + 1, kAbsent);
    if (position_[id] == kAbsent) {
      entries_.push_back({key, id});
      rise(entries_.size() - 1, {key, id});
    } else {
      move(position_[id], {key, id});
    }
  }
  void remove(std::uint32_t id) {
    if (id >= position_.size() || position_[id] == kAbsent) return;
    const std::size_t at = std::exchange(position_[id], kAbsent);
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.id != id) move(at, last);
  }

 private:
  struct Entry {
    double key;
    std::uint32_t id;
    bool before(const Entry& other) const { return key != other.key ? key < other.key : id < other.id; }
  };

  void set(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    position_[entry.id] = static_cast<std::uint32_t>(at);
  }
  void move(std::size_t at, const Entry& entry) {
    if (at > 0 && entry.before(entries_[(at - 1) / 4]))
      rise(at, entry);
    else
      sink(at, entry);
  }
  void rise(std::size_t at, const Entry& entry) {
    for (; at > 0 && entry.before(entries_[(at - 1) / 4]); at = (at - 1) / 4) set(at, entries_[(at - 1) / 4]);
    set(at, entry);
  }
  void sink(std::size_t at, const Entry& entry) {
    for (std::size_t child; (child = 4 * at + 1) < entries_.size();) {
      std::size_t least = child;
      for (std::size_t other = child + 1; other < child + 4 && other < entries_.size(); ++other)
        if (entries_[other].before(entries_[least])) least = other;
      if (!entries_[least].before(entry)) break;
      set(at, entries_[least]);
      at = least;
    }
    set(at, entry);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> position_;  // by number: where it is in entries_
};

}  // namespace tutti::fast
