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
  enum class Kind : std::uint8_t { start_rank, work_over, transfer, flow_over, acknowledged, tree_stands, tree_passes };
  Kind kind;
  std::uint32_t id;
};

/// Events by time, none before the last one that was taken out; of equal times, first planned, first done. A radix heap
/// (Ahuja, Mehlhorn, Orlin, Tarjan: "Faster Algorithms for the Shortest Path Problem", JACM 37(2), 1990): a bucket
/// holds those whose times first differ from the last one's in the same bit. When the nearest bucket's turn comes, what
/// is in it moves on to nearer ones, in order. Unlike in a heap, hardly a branch depends on the times, and many events
/// at one instant cost no more than few.
class EventQueue {
 public:
  EventQueue() { first_.fill(~std::uint64_t{0}); }
  bool empty() const { return next_ == due_.size() && filled_ == 0; }
  void clear() {
    due_.clear();
    next_ = 0;
    for (; filled_ != 0; filled_ &= filled_ - 1) empty_bucket(nearest());
  }
  /// This and pop(): of a queue that is not empty.
  double next_seconds() const { return std::bit_cast<double>(next_ < due_.size() ? last_ : first_[nearest()]); }
  /// `seconds` is not negative.
  void push(double seconds, const Event& event) {
    const auto key = std::bit_cast<std::uint64_t>(seconds);
    if (key == last_)
      due_.push_back(event);
    else
      put({key, event});
  }
  Event pop() {
    return pop([](const Event&, std::size_t) {});
  }
  /// `soon(event, events)` is told of events that come next, among so many; of most of them several times, among ever
  /// fewer.
  template <class Soon>
  Event pop(const Soon& soon) {
    if (next_ == due_.size()) go_on(soon);
    return due_[next_++];
  }

 private:
  /// Of a time, as a whole number that orders times alike.
  struct Planned {
    std::uint64_t key;
    Event event;
  };

  std::size_t nearest() const { return static_cast<std::size_t>(std::countr_zero(filled_)); }
  void empty_bucket(std::size_t bucket) {
    buckets_[bucket].clear();
    first_[bucket] = ~std::uint64_t{0};
  }
  void put(const Planned& planned) {
    const auto bucket = static_cast<std::size_t>(std::bit_width(planned.key ^ last_) - 1);
    buckets_[bucket].push_back(planned);
    first_[bucket] = std::min(first_[bucket], planned.key);
    filled_ |= std::uint64_t{1} << bucket;
  }
  /// To the next instant.
  template <class Soon>
  void go_on(const Soon& soon) {
    due_.clear();
    next_ = 0;
    const std::size_t bucket = nearest();
    last_ = first_[bucket];
    filled_ &= filled_ - 1;
    const std::size_t events = buckets_[bucket].size();
    for (const Planned& planned : buckets_[bucket]) {  // to nearer ones
      soon(planned.event, events);
      if (planned.key == last_)
        due_.push_back(planned.event);
      else
        put(planned);
    }
    empty_bucket(bucket);
  }

  std::uint64_t last_ = 0;
  std::vector<Event> due_;  // at that time; those before next_ are done
  std::size_t next_ = 0;
  std::array<std::vector<Planned>, 64> buckets_;
  std::array<std::uint64_t, 64> first_;  // the least key in each bucket
  std::uint64_t filled_ = 0;             // a bit for each bucket that is not empty
};

}  // namespace tutti
