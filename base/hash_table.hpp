#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti {

/// A whole number, not the largest.
struct NumberKey {
  std::uint64_t number = ~std::uint64_t{0};
  friend bool operator==(const NumberKey&, const NumberKey&) = default;
  std::size_t hash() const {
    const std::uint64_t h = number * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
  }
};

/// Two whole numbers, not both the largest.
struct PairKey {
  std::uint64_t first = ~std::uint64_t{0}, second = ~std::uint64_t{0};
  friend bool operator==(const PairKey&, const PairKey&) = default;
  std::size_t hash() const {
    const std::uint64_t h = first * 0x9E3779B97F4A7C15u ^ (second + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
    return h ^ h >> 32;
  }
};

/// A hash table for what comes and goes with every message: open addressing with linear probing, where erasing moves
/// what follows up, so that nothing but live entries is ever passed, and an entry costs no allocation once the table is
/// warm. (Knuth: "The Art of Computer Programming" 3, section 6.4, algorithms L and R.) `Key` has `hash()`, `==` and a
/// default value that is never inserted. References are valid until the next insertion or erasure.
template <class Key, class Value>
class HashTable {
 public:
  struct Entry {
    Key key{};
    Value value{};
  };

  HashTable() : entries_(kFewest) {}
  void fetch_ahead(const Key& key) const { __builtin_prefetch(&entries_[key.hash() & mask()]); }
  /// nullptr where there is none.
  Entry* find(const Key& key) {
    Entry& entry = entries_[place(key)];
    return entry.key == key ? &entry : nullptr;
  }
  /// The entry of a key, made if there is none.
  Entry& at(const Key& key) {
    std::size_t i = place(key);
    if (entries_[i].key == key) return entries_[i];
    if (full()) {
      resize(2 * entries_.size());
      i = place(key);
    }
    ++size_;
    entries_[i] = {key, {}};
    return entries_[i];
  }
  void erase(const Entry& entry) {
    // Those behind it that could not sit where they belong move up, so that no search ends early.
    auto hole = static_cast<std::size_t>(&entry - entries_.data());
    for (std::size_t i = next(hole); entries_[i].key != Key{}; i = next(i)) {
      const std::size_t home = entries_[i].key.hash() & mask();
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = Entry{};
    --size_;
  }
  /// Whether one more entry makes the table grow.
  bool full() const { return 2 * (size_ + 1) > entries_.size(); }
  /// Keeps the entries for which keep(entry) holds, and has room for as many again.
  template <class Keep>
  void keep_if(Keep keep) {
    std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries_.size()));
    size_ = 0;
    for (const Entry& entry : old)
      if (entry.key != Key{} && keep(entry)) entries_[place(entry.key)] = entry, ++size_;
    if (4 * (size_ + 1) > entries_.size()) resize(2 * entries_.size());
  }
  /// Calls with each entry.
  template <class Function>
  void each(Function function) const {
    for (const Entry& entry : entries_)
      if (entry.key != Key{}) function(entry);
  }

 private:
  static constexpr std::size_t kFewest = 16;

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  /// Where the key is, or would go.
  std::size_t place(const Key& key) const {
    std::size_t i = key.hash() & mask();
    while (entries_[i].key != Key{} && !(entries_[i].key == key)) i = next(i);
    return i;
  }
  void resize(std::size_t entries) {
    const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries));
    for (const Entry& entry : old)
      if (entry.key != Key{}) entries_[place(entry.key)] = entry;
  }

  std::vector<Entry> entries_;  // a power of two, at most half of them taken
  std::size_t size_ = 0;
};

}  // namespace tutti
