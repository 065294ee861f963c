#pragma once
// The measurements of the OSU micro-benchmarks, and their output.

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::mpi {

struct OsuOptions {
  std::vector<std::int64_t> sizes;  ///< as OSU's benchmarks print them
  int iterations = 100;
  int warm_up = 10;
  int calls = 1;       ///< more than 1: back to back, this many calls without a barrier between, times per call
  bool probe = false;  ///< print what the call sends from rank to rank as comment lines
};

/// Half a round trip between the first and the last rank, and the bandwidth of a window of messages one way. The value
/// is the median of the iterations: those that something else disturbed do not move it. Collective over all ranks.
void latency(const OsuOptions& options);
void bandwidth(const OsuOptions& options);

/// Half a round trip of 8 bytes between every two ranks, one pair at a time, as a matrix of microseconds (docs/
/// formats.md). Collective over all ranks, one on each host.
void matrix(const OsuOptions& options);

/// A collective on all ranks, a barrier before each iteration. Average, least and greatest are over ranks, of each
/// rank's mean, as OSU has them; the percentiles are over iterations, of the slowest rank's time.
void collective(const std::string& name, const OsuOptions& options);

}  // namespace tutti::mpi
