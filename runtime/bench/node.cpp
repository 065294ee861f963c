#include "runtime/bench/node.hpp"

#include <chrono>
#include <cstring>

namespace tutti::bench {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Summary measure_work(Team& team, Work work, std::int64_t bytes, double budget_seconds) {
  const auto elements = static_cast<std::size_t>(bytes) / sizeof(float);
  std::vector<float> from(elements, 1.0f), to(elements, 2.0f);
  const Reduction sum = reduction_of<float>(Predefined::sum);
  const int batch = bytes < 65536 ? 64 : 1;
  const auto once = [&] {
    const auto begin = Clock::now();
    for (int i = 0; i < batch; ++i) {
      if (work == Work::copy)
        std::memcpy(to.data(), from.data(), elements * sizeof(float));
      else
        sum.combine(to.data(), to.data(), from.data(), elements, sum.context);
      asm volatile("" : : "r"(to.data()) : "memory");  // the compiler may not leave it out
    }
    return std::chrono::duration<double>(Clock::now() - begin).count() / batch;
  };
  once();
  std::vector<double> seconds(static_cast<std::size_t>(repetitions(team, once() * batch, budget_seconds)));
  team.barrier();
  for (double& one : seconds) one = once();
  return summarise(team, seconds);
}

}  // namespace tutti::bench
