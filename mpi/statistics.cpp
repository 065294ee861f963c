#include "mpi/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tutti::mpi {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double percentile(std::vector<double> values, double hundredths) {
  std::sort(values.begin(), values.end());
  const double place = hundredths / 100 * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place), high = std::min(low + 1, values.size() - 1);
  return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
}

}  // namespace tutti::mpi
