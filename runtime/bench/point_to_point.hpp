#pragma once

#include "runtime/bench/samples.hpp"

namespace tutti::bench {

enum class Pattern { latency, bandwidth, bidirectional };

struct PairRow {
  std::int64_t bytes = 0, iterations = 0;
  int window = 1;  // messages under way at once
  /// Of the repetitions, as rank 0 sees them: latency: seconds from one rank to the other (half a round trip); else
  /// seconds per message of one direction.
  double median = 0, average = 0, minimum = 0;
  /// Bytes of both directions together per second, by the median.
  double bytes_per_second(Pattern pattern) const {
    return (pattern == Pattern::bidirectional ? 2.0 : 1.0) * static_cast<double>(bytes) / median;
  }
};

/// Of each rank's buffer in such a measurement.
double pair_buffer_bytes(Pattern pattern, std::int64_t bytes);

/// All ranks together; ranks 0 and 1 exchange messages. Throws std::invalid_argument for a team of one, and as
/// Team::run.
PairRow measure_pair(Team& team, Pattern pattern, std::int64_t bytes, double budget_seconds);

}  // namespace tutti::bench
