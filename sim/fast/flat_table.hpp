#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::fast {

/// Values by pairs of whole numbers, in one array: linear probing, and erasing moves what follows up, so that nothing
/// but live entries is ever passed. (Knuth: "The Art of Computer Programming" 3, section 6.4, algorithms L and R.)
/// References to values hold until the next insert or erase.
template <class Value>
class FlatTable {
 public:
  std::size_t size() const { return size_; }

  Value* find(std::uint64_t a, std::uint64_t b) {
    if (size_ == 0) return nullptr;
    Entry& entry = entries_[place(a, b)];
    return entry.used ? &entry.value : nullptr;
  }
  /// The pair must not be there.
  Value& insert(std::uint64_t a, std::uint64_t b, const Value& value) {
    if (2 * (size_ + 1) > entries_.size()) resize(entries_.empty() ? 16 : 2 * entries_.size());
    ++size_;
    Entry& entry = entries_[place(a, b)];
    entry = {a, b, true, value};
    return entry.value;
  }
  /// The pair must be there.
  void erase(std::uint64_t a, std::uint64_t b) {
    std::size_t hole = place(a, b);
    for (std::size_t next = (hole + 1) & mask(); entries_[next].used; next = (next + 1) & mask()) {
      const std::size_t home = hash(entries_[next].a, entries_[next].b) & mask();
      if (((next - home) & mask()) < ((next - hole) & mask())) continue;  // would come before its home
      entries_[hole] = entries_[next];
      hole = next;
    }
    entries_[hole].used = false;
    --size_;
  }
  /// Whether one more value makes the array grow.
  bool full() const { return 2 * (size_ + 1) > entries_.size(); }
  /// Keeps the values for which keep(a, b, value) holds, and has room for as many again.
  template <class Keep>
  void keep_if(Keep keep) {
    std::vector<Entry> old(entries_.size());
    old.swap(entries_);
    size_ = 0;
    for (const Entry& entry : old)
      if (entry.used && keep(entry.a, entry.b, entry.value)) insert(entry.a, entry.b, entry.value);
    if (4 * (size_ + 1) > entries_.size()) resize(2 * entries_.size());
  }

 private:
  struct Entry {
    std::uint64_t a = 0, b = 0;
    bool used = false;
    Value value{};
  };

  std::size_t mask() const { return entries_.size() - 1; }
  static std::size_t hash(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t h = a * 0x9E3779B97F4A7C15u ^ (b + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
    return h ^ h >> 32;
  }
  /// Where the pair is, or would go.
  std::size_t place(std::uint64_t a, std::uint64_t b) const {
    std::size_t at = hash(a, b) & mask();
    while (entries_[at].used && (entries_[at].a != a || entries_[at].b != b)) at = (at + 1) & mask();
    return at;
  }
  void resize(std::size_t entries) {
    std::vector<Entry> old(entries);
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.used) entries_[place(entry.a, entry.b)] = entry;
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace tutti::fast
