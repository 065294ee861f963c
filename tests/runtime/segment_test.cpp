// Shared memory whose far pages become others.
#include "runtime/shm/segment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/shm/heap.hpp"

namespace tutti::shm {
namespace {

constexpr std::size_t kPage = 4096, kPages = 20;

/// Says that these pages are far, as long as the memory is that which they had at first.
class Fake {
 public:
  Fake(const Segment& segment, std::set<std::size_t> far) : segment_(segment), far_(std::move(far)) {
    for (const std::size_t page : far_) segment.memory()[page * kPage + 7] = std::byte{1};
  }
  double operator()(const std::byte* at) {
    const auto page = static_cast<std::size_t>(at - segment_.memory()) / kPage;
    ++asked_[page];
    return far_.contains(page) && at[7] != std::byte{} ? 2 : 1;
  }
  int asked(std::size_t page) { return asked_[page]; }

 private:
  const Segment& segment_;
  std::set<std::size_t> far_;
  std::map<std::size_t, int> asked_;
};

TEST(FarPages, AreThoseThatTakeMuchLongerThanMost) {
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(far_pages(std::vector<double>{1, 1.4, 2, 0.9, 1, 3, 1}), (Places{2, 5}));
  EXPECT_EQ(far_pages(std::vector<double>{5, 5, 5}), Places{});
  EXPECT_EQ(far_pages(std::vector<double>{0, 0}), Places{});
  EXPECT_EQ(far_pages(std::vector<double>{}), Places{});
}

TEST(FarPages, BecomeOthersForAllWhoHaveThem) {
  Segment segment = Segment::make_empty(kPages * kPage - 100);
  segment.reserve(0, segment.bytes());
  const Segment peer = Segment::attach(getpid(), segment.descriptor(), segment.bytes());
  for (std::size_t page = 0; page < kPages; ++page) segment.memory()[page * kPage] = static_cast<std::byte>(page + 1);
  Fake fake(segment, {3, 4, kPages - 1});
  segment.replace_far_pages(2 * kPage, segment.bytes() - 2 * kPage, std::ref(fake));
  for (std::size_t page = 0; page < kPages; ++page) {
    const bool far = page == 3 || page == 4 || page == kPages - 1;
    EXPECT_EQ(peer.memory()[page * kPage], static_cast<std::byte>(far ? 0 : page + 1)) << page;
    EXPECT_EQ(fake.asked(page), page < 2 ? 0 : far ? 2 : 1) << page;
  }
  segment.memory()[3 * kPage] = std::byte{77};
  EXPECT_EQ(peer.memory()[3 * kPage], std::byte{77});
}

TEST(FarPages, StayWhereThereIsNothingElse) {
  int asked = 0;
  const std::byte* first = nullptr;
  const Segment segment = Segment::make(kPages * kPage, [&](const std::byte* page) {
    if (!first) first = page;
    return page == first ? (++asked, 2.0) : 1.0;
  });
  EXPECT_EQ(asked, 5);  // four attempts
  EXPECT_TRUE(std::all_of(segment.memory(), segment.memory() + segment.bytes(),
                          [](std::byte byte) { return byte == std::byte{}; }));
}

TEST(FarPages, AreLookedForByTheClock) {
  const Segment segment = Segment::make(kPages * kPage);
#ifdef __x86_64__
  EXPECT_GT(fetch_seconds(segment.memory()), 0);
#endif
  EXPECT_LT(fetch_seconds(segment.memory()), 0.1);
}

TEST(FarPages, StayWhereManyAreFarOrTooManyToLookAt) {
  Segment segment = Segment::make_empty(kPages * kPage);
  segment.reserve(0, segment.bytes());
  Fake fake(segment, {1, 3, 5, 7, 9, 11, 13});
  segment.replace_far_pages(0, segment.bytes(), std::ref(fake));
  for (std::size_t page = 0; page < kPages; ++page) EXPECT_EQ(fake.asked(page), 1) << page;
  EXPECT_EQ(segment.memory()[3 * kPage + 7], std::byte{1});

  int asked = 0;
  Segment large = Segment::make_empty((16 << 20) + kPage);
  large.replace_far_pages(0, large.bytes(), [&](const std::byte*) { return ++asked, 1.0; });
  EXPECT_EQ(asked, 0);
}

TEST(FarPages, OfAHeapAreReplacedOnceBeforeAnybodyHasThem) {
  const auto segment = std::make_shared<Segment>(Segment::make_empty(64 * kPage));
  Fake fake(*segment, {5, 40});
  Heap heap(segment, std::ref(fake));
  auto* const block = static_cast<std::byte*>(heap.allocate(30 * kPage));
  EXPECT_EQ(block[5 * kPage + 7], std::byte{});
  heap.release(block);
  EXPECT_EQ(heap.allocate(20 * kPage), block);
  static_cast<void>(heap.allocate(40 * kPage));
  for (std::size_t page = 0; page < 60; ++page) EXPECT_EQ(fake.asked(page), page == 5 || page == 40 ? 2 : 1) << page;
  EXPECT_EQ(fake.asked(60), 0);
}

}  // namespace
}  // namespace tutti::shm
