#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti {

/// What a Simulation has planned.
struct Event {
  enum class Kind : std::uint8_t { start_rank, work_over, transfer, flow_over, acknowledged };
  double seconds;
  std::uint64_t order;  // equal times: first planned, first done
  Kind kind;
  std::uint32_t id;
};

/// Events by time: a heap whose nodes have four children.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  void clear() { heap_.clear(); }
  const Event& top() const { return heap_.front(); }
  void push(const Event& event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    for (; at > 0 && before(event, heap_[(at - 1) / 4]); at = (at - 1) / 4) heap_[at] = heap_[(at - 1) / 4];
    heap_[at] = event;
  }
  void pop() {
    const Event last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    std::size_t at = 0;
    for (std::size_t child; (child = 4 * at + 1) < heap_.size(); at = child) {
      const std::size_t end = child + 4 < heap_.size() ? child + 4 : heap_.size();
      for (std::size_t other = child + 1; other < end; ++other)
        if (before(heap_[other], heap_[child])) child = other;
      if (!before(heap_[child], last)) break;
      heap_[at] = heap_[child];
    }
    heap_[at] = last;
  }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.order < b.order;
  }
  std::vector<Event> heap_;
};

}  // namespace tutti
