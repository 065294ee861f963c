#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sites/cabling.hpp"

namespace tutti {

/// What was measured between each pair of hosts: latencies of small messages in seconds, or bandwidths in bytes per
/// second. Plain data.
struct PairMatrix {
  enum class Quantity { latency, bandwidth };
  Quantity quantity;
  std::string file;
  std::vector<std::string> hosts;           ///< without domains, as the columns have them
  std::vector<int> lines;                   ///< of the rows
  std::vector<std::vector<double>> values;  ///< row to column; 0: not measured
};

/// Words between blanks or commas. The first line says the quantity (latency_us, latency_ns, bandwidth_MB/s,
/// bandwidth_GB/s or bandwidth_Gb/s) and the hosts; then a line for each host in the same order: its name and a value
/// to each, '-' or 0 where nothing was measured, as to itself. '#' begins a comment. At most 4096 hosts. Throws
/// InputError "FILE:LINE: what was expected".
PairMatrix read_pair_matrix(const std::filesystem::path& file);

/// The pairs whose shortest ways pass so many switches.
struct PairLevel {
  int switches;
  int pairs;
  double median, least, most;
  int above_ports = 0;              ///< pairs that are faster than all ports of one of the two, by more than kAboveRate
  std::string farthest_above = {};  ///< of these the fastest: "FILE:LINE: HOST reaches HOST with …"
};

/// By the cabling, fewest switches first. `contradictions` gets what the cabling does not know or have a way between;
/// `notes` hosts that are far from the others of their levels, and pairs whose two directions are apart.
std::vector<PairLevel> levels_of(const PairMatrix& matrix, const Cabling& cabling,
                                 std::vector<std::string>& contradictions, std::vector<std::string>& notes);

/// The least over hosts that are like most: the median of what each reaches with its best peer. Bytes per second.
double best_pair_rate(const PairMatrix& bandwidths);

}  // namespace tutti
