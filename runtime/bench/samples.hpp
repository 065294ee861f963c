#pragma once

#include <cstdint>
#include <vector>

#include "runtime/team.hpp"

namespace tutti::bench {

/// What the repetitions of one measurement gave, in seconds.
struct Summary {
  std::int64_t iterations = 0;
  double average = 0, minimum = 0, maximum = 0;  // of the ranks' means, as OSU prints them
  double median = 0, p99 = 0;                    // of the repetitions, each as long as on its slowest rank
};

/// All ranks together: each gives the times of its repetitions, as many as every other. The same summary on all.
Summary summarise(Team& team, const std::vector<double>& seconds);

/// As many repetitions as fit into the budget, from what one takes; the same on all ranks.
int repetitions(Team& team, double seconds_each, double budget_seconds);

}  // namespace tutti::bench
