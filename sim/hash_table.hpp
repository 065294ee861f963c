#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti {

/// A hash table for what comes and goes with every message: open addressing with linear probing, so that an entry costs
/// no allocation once the table is warm. `Key` has `hash()`, `==` and a default value that is never inserted.
/// References are valid until the next insertion or erasure.
template <class Key, class Value>
class HashTable {
 public:
  struct Entry {
    Key key{};
    Value value{};
  };

  HashTable() : entries_(kFewest) {}
  bool empty() const { return size_ == 0; }
  /// The entry of a key, made if there is none.
  Entry& at(const Key& key) {
    std::size_t i = find(key);
    if (entries_[i].key == key) return entries_[i];
    if (2 * ++size_ > entries_.size()) {
      grow();
      i = find(key);
    }
    entries_[i] = {key, {}};
    return entries_[i];
  }
  void erase(const Entry& entry) {
    // Those behind it that could not sit where they belong move up, so that no search ends early.
    auto hole = static_cast<std::size_t>(&entry - entries_.data());
    for (std::size_t i = next(hole); entries_[i].key != Key{}; i = next(i)) {
      const std::size_t home = entries_[i].key.hash() & (entries_.size() - 1);
      const std::size_t mask = entries_.size() - 1;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = Entry{};
    --size_;
  }
  /// Calls with each entry.
  template <class Function>
  void each(Function function) const {
    for (const Entry& entry : entries_)
      if (entry.key != Key{}) function(entry);
  }

 private:
  static constexpr std::size_t kFewest = 16;

  std::size_t next(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }
  std::size_t find(const Key& key) const {
    std::size_t i = key.hash() & (entries_.size() - 1);
    while (entries_[i].key != Key{} && !(entries_[i].key == key)) i = next(i);
    return i;
  }
  void grow() {
    const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(2 * entries_.size()));
    for (const Entry& entry : old)
      if (entry.key != Key{}) entries_[find(entry.key)] = entry;
  }

  std::vector<Entry> entries_;  // a power of two, at most half of them taken
  std::size_t size_ = 0;
};

}  // namespace tutti
