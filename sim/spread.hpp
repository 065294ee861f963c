#pragma once

#include <span>

namespace tutti {

/// Of calls that do not take the same time each, in seconds: of n sorted calls, what lies at 0.05 and 0.95 of n - 1,
/// between neighbours by proportion (rounded down, the p95 of three calls were their median).
struct Spread {
  double p05, p95, mean;
};

/// At least one call. The mean of the two in the middle of an even number.
double median_of(std::span<const double> seconds_per_call);
/// At least one call.
Spread spread_of(std::span<const double> seconds_per_call);

}  // namespace tutti
