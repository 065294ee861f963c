#pragma once
// Which cores of this node are how near to each other, as Linux tells in /sys.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::mpi {

/// A processor, the first of its core's hardware threads, and what it shares; names of sets, empty: nothing is known.
struct Core {
  int processor = 0;
  std::string cache, numa, socket;
};

/// Of the given processors those that are the first of their cores, in the same order. `devices` is
/// /sys/devices/system/cpu. Throws std::runtime_error where it says nothing of a processor.
std::vector<Core> read_cores(const std::string& devices, const std::vector<int>& processors);

/// What two cores share at most: "cache" (the last one), "numa", "socket" or "node".
std::string shared_by(const Core& a, const Core& b);

/// The first two cores that share this, and nothing nearer; none where there are no two.
std::optional<std::pair<int, int>> pair_that_shares(const std::vector<Core>& cores, const std::string& what);

}  // namespace tutti::mpi
