#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibration/measurement.hpp"
#include "topologies/network.hpp"

namespace tutti {

/// What may be measured above the rate of ports: benchmarks round, and count headers otherwise.
inline constexpr double kAboveRate = 1.03;

/// From here on a message's time is little but its bytes'.
inline constexpr std::int64_t kLongMessage = std::int64_t{1} << 20;

/// All one-way times of one size at one distance.
struct DistancePoint {
  std::int64_t bytes;
  double median_seconds, p10_seconds, p90_seconds, least_seconds, greatest_seconds;
  int values;
  std::string file = {};  ///< the first that has this size
};

/// What was measured at one distance.
struct DistanceCurve {
  Distance distance;
  std::vector<DistancePoint> points;  ///< ascending bytes
  std::vector<const Series*> series;  ///< the one-way curves behind the medians; they live with the measurements
  std::vector<std::string> files;     ///< each once

  /// Medians at the smallest size that was measured; 0: not measured.
  double send_overhead_seconds = 0, receive_overhead_seconds = 0, gap_seconds = 0;
  /// The greatest median rate of streams of messages of kLongMessage or more, which are under way together; 0: not
  /// measured. Between nodes that of as many pairs as sent at the same time, all from one node to one other.
  double streamed_bytes_per_second = 0;
  int streaming_pairs = 1;    ///< that had this rate together
  std::string streamed_file;  ///< that says so
  /// What a message, or the stream of one pair alone, reached at most, of medians.
  double pair_bytes_per_second = 0;
  std::string pair_file;  ///< that says so
};

/// Groups by distance and takes medians over the curves of each. Where a series has cores instead of a distance the
/// network decides, taking the cores as those of its first node. Ascending by distance; a distance without one-way
/// times is left out and named in `skipped`. Throws InputError if a core is not in the node, or nothing is left. The
/// series must outlive the result.
std::vector<DistanceCurve> distance_curves(std::span<const Series> series, const Network& network,
                                           std::vector<std::string>& skipped);

/// A line for each two distances next to each other of which the nearer one is slower, by a tenth and more, at the
/// smallest size and at the largest that both have: files were given for each other, or the near one went another way.
std::vector<std::string> slower_though_nearer(std::span<const DistanceCurve> ascending);

/// The greatest median rate of a message or of streams of long ones.
double reached_bandwidth(const DistanceCurve& curve);

/// The value below which `share` of the values lie, interpolated; values must not be empty.
double quantile(std::vector<double> values, double share);

}  // namespace tutti
