#include "runtime/bench/compare.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/bench/buffers.hpp"

namespace tutti::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostCalls = 1000;  // of a repetition

/// So many calls, each after a barrier; the median of what they take on their slowest ranks.
double time_calls(Team& team, const CollectiveCall& call, std::size_t calls) {
  std::vector<double> seconds(calls);
  for (double& one : seconds) {
    team.barrier();
    const auto begin = Clock::now();
    team.run(call);
    one = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  team.allreduce(seconds, Predefined::maximum);
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(calls / 2), seconds.end());
  return seconds[calls / 2];
}

template <class T>
std::vector<std::vector<double>> compare_on(Team& team, const Comparison& comparison) {
  const Case c = case_of(comparison.collective, team.size(), comparison.bytes, 0);
  Buffers<T> buffers(c, team.rank());
  std::vector<CollectiveCall> made;
  std::vector<std::size_t> calls, running;
  for (const std::string& algorithm : comparison.algorithms) {
    made.push_back(buffers.call(c, algorithm));
    if (c.collective != Collective::bcast || team.rank() != c.root)
      std::fill(buffers.out.begin(), buffers.out.end(), T{});
    const double once = time_calls(team, made.back(), 1);
    buffers.check(c, team.rank());
    calls.push_back(static_cast<std::size_t>(
        std::clamp(comparison.repetition_seconds / std::max(once, 1e-9), 1.0, static_cast<double>(kMostCalls))));
    running.push_back(running.size());
  }
  std::vector<std::vector<double>> seconds(made.size());
  const auto least = [&](std::size_t i) { return *std::min_element(seconds[i].begin(), seconds[i].end()); };
  for (int repetition = 0; repetition < comparison.repetitions; ++repetition) {
    for (std::size_t i = 0; i < running.size(); ++i) {
      const std::size_t number = running[(i + static_cast<std::size_t>(repetition)) % running.size()];
      seconds[number].push_back(time_calls(team, made[number], calls[number]));
    }
    if (repetition + 1 != comparison.first) continue;
    double best = least(running.front());
    for (const std::size_t i : running) best = std::min(best, least(i));
    std::erase_if(running, [&](std::size_t i) { return i >= comparison.kept && least(i) > comparison.within * best; });
  }
  return seconds;
}

}  // namespace

std::vector<std::vector<double>> compare(Team& team, const Comparison& comparison) {
  return on_elements_of(comparison.collective,
                        [&](auto element) { return compare_on<decltype(element)>(team, comparison); });
}

}  // namespace tutti::bench
