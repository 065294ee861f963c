#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tables/table.hpp"

namespace tutti {

/// One simulated time. Infinity: the engine refused; exceeded: it is more than that.
struct Simulated {
  std::string engine;
  Place place;
  std::int64_t bytes = 0;  // total
  std::string choice;
  double seconds = 0;
  bool exceeded = false;
  std::string load = "none";  // beside it (Loads::texts)
};

/// What keeps the simulated times of a sweep beyond the process that simulates them.
class TimeStore {
 public:
  virtual ~TimeStore() = default;
  /// What is known at the start. Of one question there may be several times: it is more than one, more than another.
  virtual std::vector<Simulated> all() = 0;
  /// Called by any thread.
  virtual void put(std::span<const Simulated> times) = 0;
};

}  // namespace tutti
