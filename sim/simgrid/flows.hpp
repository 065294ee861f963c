#pragma once

#include <memory>
#include <span>

#include "models/machine.hpp"
#include "sim/flow_network.hpp"

namespace tutti::simgrid {

/// Opens the module that is linked with SimGrid and some thirty libraries, which takes tens of milliseconds that only
/// its users shall pay. Once; make_flows does it where that has not been done. Throws std::runtime_error where it
/// cannot be opened. Safe to use from several threads at once.
void load();

/// Flows among some distinct cores of a machine, on SimGrid's network model: max-min shares (CM02 without
/// cross-traffic), no rank actors. Latencies are the Simulation's, so SimGrid's links have none: with them it would
/// weigh the shares by round-trip time. SimGrid keeps one engine per process: make at most one of these in a process,
/// ever, and use it from one thread.
/// `solve_all_at_once`: at every event, instead of the flows that it concerns.
std::unique_ptr<FlowNetwork> make_flows(const Machine& machine, std::span<const int> cores, bool solve_all_at_once);

}  // namespace tutti::simgrid
