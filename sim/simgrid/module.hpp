#pragma once

#include <span>

#include "models/machine.hpp"
#include "sim/flow_network.hpp"

// What the program asks of the module (libtutti_simgrid.so), which alone is linked with SimGrid.

namespace tutti::simgrid {

inline constexpr const char* kModule = "libtutti_simgrid.so";
inline constexpr const char* kMakeFlows = "tutti_simgrid_make_flows";
/// As make_flows; the caller owns what it gives.
using MakeFlows = FlowNetwork*(const Machine& machine, std::span<const int> cores, bool solve_all_at_once);

}  // namespace tutti::simgrid
