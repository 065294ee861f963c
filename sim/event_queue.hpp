#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti {

/// What a Simulation has planned.
struct Event {
  enum class Kind : std::uint8_t { start_rank, work_over, transfer, flow_over, acknowledged };
  Kind kind;
  std::uint32_t id;
};

/// Events by time, none before the last one that was taken out; of equal times, first planned, first done. A radix heap
/// (Ahuja, Mehlhorn, Orlin, Tarjan: "Faster Algorithms for the Shortest Path Problem", JACM 37(2), 1990) of 6 bits a
/// level: a bucket holds those whose times first differ from a past one in the same level, and there have the same
/// bits. When the nearest bucket's turn comes, what is in it moves on to nearer ones; or, once it holds few, is sorted,
/// and what is planned before the last of these goes among them. Unlike in a heap, hardly a branch depends on the
/// times, an event moves two or three times, and many at one instant cost no more than few.
class EventQueue {
 public:
  bool empty() const { return next_ == due_.size() && levels_ == 0; }
  void clear() {
    due_.clear();
    next_ = 0;
    while (levels_ != 0) empty_bucket(nearest());
  }
  /// This and pop(): of a queue that is not empty.
  double next_seconds() const {
    return std::bit_cast<double>(next_ < due_.size() ? due_[next_].key : buckets_[nearest()].first);
  }
  /// `seconds` is not negative.
  void push(double seconds, const Event& event) {
    const Planned planned{std::bit_cast<std::uint64_t>(seconds), event};
    if (planned.key <= last_due_)
      add_due(planned);
    else
      put(planned);
  }
  Event pop() {
    return pop([](const Event&, std::size_t) {});
  }
  /// `soon(event, before)` is told of events that come next, when about so many come before: of most of them several
  /// times, when there are ever fewer.
  template <class Soon>
  Event pop(const Soon& soon) {
    if (next_ == due_.size()) go_on(soon);
    for (const std::size_t before : {kFew / 4, kFew / 8})
      if (due_.size() - next_ > before) soon(due_[next_ + before].event, before);
    return due_[next_++].event;
  }

 private:
  static constexpr std::size_t kFew = 16;         // are sorted
  static constexpr std::size_t kMostBehind = 48;  // that a new one is sorted in before
  static constexpr std::size_t kMostKept = 1024;  // events' memory, of a bucket that is empty
  static constexpr int kBits = 6, kLevels = (64 + kBits - 1) / kBits, kDigits = 1 << kBits;

  /// Of a time, as a whole number that orders times alike.
  struct Planned {
    std::uint64_t key;
    Event event;
  };
  struct Bucket {
    std::uint64_t first = ~std::uint64_t{0};  // the least key
    std::vector<Planned> events;
  };

  std::size_t nearest() const {
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    return level * kDigits + static_cast<std::size_t>(std::countr_zero(digits_[level]));
  }
  void put(const Planned& planned) {
    const int level = static_cast<int>(std::bit_width(planned.key ^ past_) - 1) / kBits;
    const std::uint64_t digit = planned.key >> level * kBits & (kDigits - 1);
    Bucket& bucket = buckets_[static_cast<std::size_t>(level) * kDigits + digit];
    bucket.events.push_back(planned);
    bucket.first = std::min(bucket.first, planned.key);
    digits_[static_cast<std::size_t>(level)] |= std::uint64_t{1} << digit;
    levels_ |= 1u << level;
  }
  void empty_bucket(std::size_t number) {
    std::vector<Planned>& events = buckets_[number].events;
    if (events.capacity() > kMostKept) events = {};
    events.clear();
    buckets_[number].first = ~std::uint64_t{0};
    std::uint64_t& digits = digits_[number / kDigits];
    digits &= ~(std::uint64_t{1} << number % kDigits);
    if (digits == 0) levels_ &= ~(1u << number / kDigits);
  }
  /// Behind those that are due then or before.
  void add_due(const Planned& planned) {
    due_.push_back(planned);
    std::size_t at = due_.size() - 1;
    for (; at > next_ && planned.key < due_[at - 1].key; --at) due_[at] = due_[at - 1];
    due_[at] = planned;
    if (due_.size() - at > kMostBehind) spill();
  }
  /// All but those of the next instant go back to the buckets.
  void spill() {
    last_due_ = due_[next_].key;
    std::size_t end = next_;
    while (end < due_.size() && due_[end].key == last_due_) ++end;
    for (std::size_t i = end; i < due_.size(); ++i) put(due_[i]);
    due_.resize(end);
  }
  /// To the next instant at least.
  template <class Soon>
  void go_on(const Soon& soon) {
    due_.clear();
    next_ = 0;
    const std::size_t number = nearest();
    const Bucket& bucket = buckets_[number];
    past_ = last_due_ = bucket.first;
    if (bucket.events.size() <= kFew) {
      for (const Planned& planned : bucket.events) {
        soon(planned.event, kFew);
        add_due(planned);
      }
      last_due_ = due_.back().key;
    } else {
      for (const Planned& planned : bucket.events) {  // to nearer buckets
        if (planned.key == past_)
          due_.push_back(planned);
        else
          put(planned);
      }
    }
    empty_bucket(number);
  }

  std::uint64_t past_ = 0;      // buckets are by differences from it; nothing in them is before it
  std::uint64_t last_due_ = 0;  // what is planned until then is due before all that is in buckets
  std::vector<Planned> due_;    // sorted; those before next_ are done
  std::size_t next_ = 0;
  std::array<Bucket, std::size_t{kLevels} * kDigits> buckets_;
  std::array<std::uint64_t, kLevels> digits_{};  // a bit for each bucket of the level that is not empty
  std::uint32_t levels_ = 0;                     // a bit for each level that has any
};

}  // namespace tutti
