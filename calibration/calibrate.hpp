#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/residuals.hpp"

namespace tutti {

/// A measurement file as named on the command line: "[DISTANCE=]FILE[@DATASET]". DISTANCE is cache, numa, socket, node
/// or network (the default where the file itself does not say); DATASET is part of a system's name in a CSV of several.
struct CalibrationInput {
  std::string format;  ///< a reader's name: osu, imb, csv
  std::string file;
};

/// The file that it names, which need not exist. Throws InputError where the distance is none.
std::string file_of(const CalibrationInput& input);

/// What is known of the network of a base that was made of a cluster's own files.
struct KnownNetwork {
  std::string ports_source;   ///< what says the rates of a node's ports; empty: nothing but measurements
  std::string cables_source;  ///< and those of cables
  double farther_seconds;     ///< what the farthest nodes' ways take beyond the nearest ones'
};

struct CalibrationRequest {
  /// Machine name or file: whatever is not measured stays as there. Empty: one node, which must be described; what
  /// is not measured is then a guess.
  std::string base;
  std::vector<CalibrationInput> inputs;
  /// hwloc XML of a node, in place of the base's sockets to cores. Without it a table of all pairs of another number of
  /// cores than the base has shows the shape.
  std::optional<std::filesystem::path> node_xml;
  std::string name;  ///< of the new machine; empty: the base's with "-calibrated"
  /// Where a base that was made for this fit has its figures, nodes and all, from; empty: its name says it.
  std::string base_origin = {};
  /// Its links stay as they are where a measurement is faster, which is a contradiction in the report.
  std::optional<KnownNetwork> known = {};
};

struct CalibrationResult {
  std::string machine_json;  ///< follows the machine schema; to be written by the caller
  CalibrationReport report;
};

/// Reads all inputs, fits a transport for every distance that they measure, and puts it into the base machine with its
/// source. Links that are narrower than what was measured through them are widened; the bandwidth of the network
/// adapters becomes what one pair of nodes reached, if messages of 1 MiB or more were measured. Files, and runs
/// in one file, whose times between nodes differ by more than the base's farthest nodes explain are not taken together,
/// a contradiction in the report. The report compares the finished machine's message_seconds with the medians. Throws
/// InputError ("FILE:LINE: …") on a bad measurement file or a bad machine; prints and writes nothing.
CalibrationResult calibrate(const CalibrationRequest& request);

}  // namespace tutti
