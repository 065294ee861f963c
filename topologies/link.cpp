#include "topologies/link.hpp"

#include <cmath>

#include "base/error.hpp"

namespace tutti {

void check_channel(const Channel& channel, const std::string& what) {
  if (!std::isfinite(channel.bandwidth_bytes_per_second) || channel.bandwidth_bytes_per_second <= 0)
    throw InputError(what + ": expected a positive, finite bandwidth");
  if (!std::isfinite(channel.latency_seconds) || channel.latency_seconds < 0)
    throw InputError(what + ": expected a finite latency that is not negative");
}

void check_count(std::int64_t value, std::int64_t low, const std::string& what) {
  constexpr std::int64_t high = std::int64_t{1} << 24;
  if (value < low || value > high)
    throw InputError(what + ": expected " + std::to_string(low) + " to " + std::to_string(high) + ", got " +
                     std::to_string(value));
}

}  // namespace tutti
