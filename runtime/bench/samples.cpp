#include "runtime/bench/samples.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::bench {

Summary summarise(Team& team, const std::vector<double>& seconds) {
  Summary summary;
  summary.iterations = static_cast<std::int64_t>(seconds.size());
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, seconds.size()));
  std::vector<double> means(static_cast<std::size_t>(team.size()));
  team.allgather(std::vector<double>{mean}, means);
  summary.average = std::accumulate(means.begin(), means.end(), 0.0) / team.size();
  summary.minimum = *std::min_element(means.begin(), means.end());
  summary.maximum = *std::max_element(means.begin(), means.end());

  std::vector<double> slowest = seconds;
  team.allreduce(slowest, Predefined::maximum);
  std::sort(slowest.begin(), slowest.end());
  if (slowest.empty()) return summary;
  summary.median = slowest[slowest.size() / 2];
  summary.p99 = slowest[std::min(slowest.size() - 1, slowest.size() * 99 / 100)];
  return summary;
}

int repetitions(Team& team, double seconds_each, double budget_seconds) {
  std::vector<double> longest{seconds_each};
  team.allreduce(longest, Predefined::maximum);
  return static_cast<int>(std::clamp(budget_seconds / std::max(longest[0], 1e-8), 10.0, 20'000.0));
}

}  // namespace tutti::bench
