#include "base/hash_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tutti::test {
namespace {

TEST(HashTable, HoldsWhatWasInsertedAndNotErased) {
  std::mt19937 random(23);
  HashTable<PairKey, int> table;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> expected;
  for (int i = 0; i < 20'000; ++i) {
    const PairKey key{random() % 40, random() % 40};
    const auto found = expected.find({key.first, key.second});
    const auto* const entry = table.find(key);
    ASSERT_EQ(entry != nullptr, found != expected.end());
    if (entry) {
      ASSERT_EQ(entry->value, found->second);
      table.erase(*entry);
      expected.erase(found);
    } else {
      table.at(key).value = i;
      expected[{key.first, key.second}] = i;
    }
    if (i % 1000 == 0) {
      table.keep_if([](const auto& each) { return each.value % 3 != 0; });
      std::erase_if(expected, [](const auto& each) { return each.second % 3 == 0; });
    }
    std::size_t size = 0;
    table.each([&](const auto&) { ++size; });
    ASSERT_EQ(size, expected.size());
  }
}

}  // namespace
}  // namespace tutti::test
