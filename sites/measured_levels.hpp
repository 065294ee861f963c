#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sites/sources.hpp"

namespace tutti {

/// What matrices of pairs say of a machine, beside its cabling.
struct MeasuredLevels {
  std::vector<PairLevel> latencies, bandwidths;  ///< empty: no such matrix
  std::string latency_file, bandwidth_file;
  std::optional<double> switch_latency_seconds;  ///< of a switch and its cable: what more of them add
  std::string switch_latency_source;
};

/// Adds to the result's notes a line for each level, and what the matrices, the cabling and the request contradict each
/// other in.
MeasuredLevels measured_levels(const SiteRequest& request, const Sources& sources, const Cabling& cabling,
                               SiteMachine& result);

/// What a pair of nodes was measured to take, beside the matrices' levels.
void compare_with_levels(const MeasuredLevels& levels, const DistanceResiduals& pair, SiteMachine& result);

/// Has messages between nodes take what the matrices say of the fewest switches: latencies and bandwidths of the
/// machine's network transport, whose other figures stay. `switch_latency_seconds` as the machine has it.
void set_messages(nlohmann::ordered_json& machine, const MeasuredLevels& levels, double switch_latency_seconds,
                  SiteMachine& result);

}  // namespace tutti
