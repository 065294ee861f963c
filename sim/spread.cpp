#include "sim/spread.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tutti {

double median_of(std::span<const double> seconds_per_call) {
  std::vector<double> calls(seconds_per_call.begin(), seconds_per_call.end());
  std::sort(calls.begin(), calls.end());
  return (calls[(calls.size() - 1) / 2] + calls[calls.size() / 2]) / 2;
}

Spread spread_of(std::span<const double> seconds_per_call) {
  std::vector<double> calls(seconds_per_call.begin(), seconds_per_call.end());
  std::sort(calls.begin(), calls.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(calls.size() - 1);
    const auto low = static_cast<std::size_t>(place), high = std::min(low + 1, calls.size() - 1);
    return calls[low] + (place - static_cast<double>(low)) * (calls[high] - calls[low]);
  };
  return {at(0.05), at(0.95), std::accumulate(calls.begin(), calls.end(), 0.0) / static_cast<double>(calls.size())};
}

}  // namespace tutti
