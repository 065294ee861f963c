#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/machine.hpp"
#include "sim/background.hpp"
#include "topologies/network.hpp"

namespace tutti {

/// The cores of another job beside that of the case, whose cores and placement are given, one on each of its nodes;
/// fills in how many ranks it has where a file says it. Throws InputError.
std::vector<int> place_background(const Network& network, std::span<const int> cores, const std::string& placement,
                                  BackgroundOptions& options);

/// As parse_background() reads it, with its placement.
std::string text_of(const BackgroundOptions& options);

/// Why no congestion trees grow beside this job, for people; empty: they do, where its senders share cables.
std::string no_congestion_trees(const Machine& machine, const Background& background);

}  // namespace tutti
