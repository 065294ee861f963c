#pragma once
// A machine of which something is out of order.

#include <string>
#include <vector>

#include "models/machine.hpp"

namespace tutti {

/// The machine after a failure, and the nodes that jobs can no longer get.
struct Failure {
  Machine machine;
  std::vector<int> nodes;
  std::string note;  ///< what failed, for a person
};

/// `what`: "node:N"; "switch:N", with all its cables and nodes; or "cable:LEVEL" or "cable:LEVEL:N", one cable of a
/// level of the fabric (cable_levels(), or "cable": all of a torus), both directions. Numbers are from 0, in the
/// fabric's order. Throws InputError where there is no such thing, where it would change no time as flows do not share
/// such cables, and where the machine cannot say it.
Failure failure_of(const Machine& machine, const std::string& what);

/// Throws InputError, naming two nodes, where no way is left between two of these cores.
void check_ways(const Network& network, const std::vector<int>& cores);

}  // namespace tutti
