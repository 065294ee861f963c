#include "runtime/shm/page_latency.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "runtime/shm/ring.hpp"

namespace tutti::shm {

double fetch_seconds(const std::byte* page) {
#ifdef __x86_64__
  using Clock = std::chrono::steady_clock;
  constexpr int kTimes = 3;  // the first maps the page
  double best = std::numeric_limits<double>::infinity();
  for (int time = 0; time < kTimes; ++time) {
    // In an order that nothing foresees, and one after the other.
    constexpr int kOrder[] = {0, 41, 13, 58, 22, 50, 5, 33};
    for (const int line : kOrder) __builtin_ia32_clflush(page + static_cast<std::size_t>(line) * kLine);
    __builtin_ia32_mfence();
    const auto begin = Clock::now();
    for (const int line : kOrder) {
      static_cast<void>(*static_cast<const volatile std::byte*>(page + static_cast<std::size_t>(line) * kLine));
      __builtin_ia32_lfence();
    }
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
#else
  (void)page;
  return 0;
#endif
}

std::vector<std::size_t> far_pages(std::span<const double> seconds) {
  constexpr double kFar = 1.5;
  std::vector<double> sorted(seconds.begin(), seconds.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::vector<std::size_t> far;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (seconds[i] > kFar * *middle) far.push_back(i);
  return far;
}

}  // namespace tutti::shm
