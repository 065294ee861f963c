#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace tutti::shm {

/// Where ranks share cores the system may leave three on one and one on another, since all that wait are always ready
/// to run. cores: which each of a node's ranks was seen on. To which of the cores that it may run on the rank at `self`
/// should move; -1: it should stay. One of a core's ranks moves at a time, the last.
int less_crowded_core(const std::vector<int>& cores, std::size_t self, const cpu_set_t& allowed);

/// This thread goes to a core; where it may run stays as it is. Nothing where the system refuses.
void move_to_core(int core);

}  // namespace tutti::shm
