#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tutti {

/// The numbers below `count` in an order of which every first part is spread evenly over all of them, so that how long
/// it takes tells of the rest: neighbours in a list of work are alike, its ends are not.
inline std::vector<std::size_t> scattered(std::size_t count) {
  constexpr double kSilverRatio = 0.41421356237309505;  // no multiple of it is nearly whole
  const auto where = [](std::size_t i) { return std::fmod(static_cast<double>(i) * kSilverRatio, 1.0); };
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return where(a) < where(b); });
  return order;
}

}  // namespace tutti
