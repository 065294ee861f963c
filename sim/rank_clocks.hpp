#pragma once

#include <vector>

#include "algos/call_numbers.hpp"

namespace tutti {

/// When each rank began and ended, and which number each of its calls has.
class RankClocks {
 public:
  struct Clock {
    double arrived_seconds = 0, started_seconds = 0, ended_seconds = 0;
  };

  explicit RankClocks(std::size_t ranks) : clocks_(ranks), numbers_(ranks) {}
  Clock& operator[](Rank rank) { return clocks_[rank]; }
  const Clock& operator[](Rank rank) const { return clocks_[rank]; }
  CallNumbers& numbers(Rank rank) { return numbers_[rank]; }

 private:
  std::vector<Clock> clocks_;
  std::vector<CallNumbers> numbers_;
};

}  // namespace tutti
