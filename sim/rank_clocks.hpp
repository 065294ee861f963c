#pragma once

#include <map>
#include <memory_resource>
#include <vector>

#include "sim/message_cost.hpp"

namespace tutti {

/// When each rank began and ended, and which number each of its calls has.
class RankClocks {
 public:
  struct Clock {
    double arrived_seconds = 0, started_seconds = 0, ended_seconds = 0;
    /// Of the experiment's call that it is in: ranks need not make the same number of calls of their own in each.
    std::uint32_t first_call_number = 0;
    std::uint32_t calls = 0;  // that it has begun
  };

  explicit RankClocks(std::size_t ranks) : clocks_(ranks), calls_(ranks, &counters_) {}
  Clock& operator[](Rank rank) { return clocks_[static_cast<std::size_t>(rank)]; }
  const Clock& operator[](Rank rank) const { return clocks_[static_cast<std::size_t>(rank)]; }
  /// The rank begins the experiment's next call, or the barrier before it.
  void begin_call(Rank rank) {
    for (auto& [group, calls] : calls_[static_cast<std::size_t>(rank)])
      calls = 0;  // erased, they would take their memory again
    Clock& clock = (*this)[rank];
    clock.first_call_number = clock.calls++ << 12;
  }
  /// Of a call that the rank makes in that.
  std::uint32_t next_number(const CallScope& scope) {
    const auto rank = static_cast<std::size_t>(scope.rank);
    return clocks_[rank].first_call_number + calls_[rank][group_number(scope)]++;
  }

 private:
  std::vector<Clock> clocks_;
  std::pmr::monotonic_buffer_resource counters_;                         // of these:
  std::pmr::vector<std::pmr::map<std::uint32_t, std::uint32_t>> calls_;  // of each rank, by group: calls begun
};

}  // namespace tutti
