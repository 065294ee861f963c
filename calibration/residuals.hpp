#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibration/transport_fit.hpp"

namespace tutti {

/// One size: what was measured and what the calibrated machine says.
struct Residual {
  DistancePoint measured;
  double model_seconds;

  double error() const { return model_seconds / measured.median_seconds - 1; }
  /// Of the single curve that is farthest from the model.
  double worst_single_error() const;
};

/// One distance.
struct DistanceResiduals {
  Distance distance;
  CorePair cores;  ///< of the machine, between which the model was evaluated
  std::vector<std::string> files;
  int curves;  ///< pairs, files and runs
  Transport transport;
  std::vector<ProtocolSwitch> switches;  ///< best first; the first gives the eager limit
  std::vector<Unidentified> unidentified;
  std::vector<Residual> rows;  ///< ascending bytes

  /// What a message or the stream of one pair reached, and streams of all pairs alone; 0: not measured.
  double reached_bytes_per_second = 0, streamed_bytes_per_second = 0;
  int streaming_pairs = 1;    ///< from one node to one other
  std::string reached_file;   ///< that says what a pair reached
  std::string streamed_file;  ///< that has the streams; empty: none

  /// Over sizes, of the absolute error.
  double median_error() const;
  double worst_error() const;
};

struct CalibrationReport {
  std::string machine, base;
  std::string figures;  ///< checksum of the machine that was written (models/figures_checksum.hpp)
  std::vector<DistanceResiduals> distances;
  std::vector<std::string> contradictions;  ///< measurements that cannot all be right, and what was taken
  std::vector<std::string> notes;           ///< what was skipped, kept from the base, or changed beyond the transports
};

/// For people: per distance the fit in a line, every size with its error, the worst sizes first, what is not
/// identified.
std::string format_residuals(const CalibrationReport& report);

/// The same for machines; seconds and bytes, errors as fractions.
nlohmann::json residuals_json(const CalibrationReport& report);

}  // namespace tutti
