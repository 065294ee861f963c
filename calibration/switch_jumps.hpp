#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "calibration/jumps.hpp"
#include "sim/engine.hpp"

namespace tutti {

/// Sizes at which times in two places are compared: eager and rendezvous, by latency and by bandwidth.
inline constexpr std::int64_t kSizesToCompare[] = {8, 1 << 10, 64 << 10, 1 << 20};

/// The algorithm on up to 16 nodes, with its last rank on the last node of the first leaf and on the first of the next,
/// and the same at the end of the first group: jumps from the one to the other, and the figure of the network without
/// which least is left of them. `document`, read from `origin`, and `figures`, by their pointers,
/// are the machine's. May be called by several threads.
std::vector<Jump> jumps_over_switches(const Engine& engine, const Machine& machine, const nlohmann::json& document,
                                      const std::string& origin, const std::map<std::string, Figure>& figures,
                                      const Algorithm& algorithm);

}  // namespace tutti
