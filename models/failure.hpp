#pragma once
// A machine of which one thing or several are out of order.

#include <string>
#include <vector>

#include "models/machine.hpp"

namespace tutti {

/// The machine as it is after all that has failed.
struct Failures {
  Machine machine;
  std::vector<int> nodes = {};          ///< that jobs can no longer get
  std::vector<LinkId> links = {};       ///< of the fabric
  std::vector<std::string> notes = {};  ///< what failed, for a person
};

/// `what` fails too: "node:N"; "switch:N", with all its cables and nodes; "cable:LEVEL:N", a cable of a level of the
/// fabric (cable_levels(), or "cable": all of a torus), both directions; or "cable:LEVEL", the first one of them that
/// is in order. Numbers are from 0, in the fabric's order. Throws InputError where there is no such thing, where it has
/// failed before, where it would change no time as flows do not share such cables, and where the machine cannot say it.
void add_failure(Failures& failures, const std::string& what);

/// Throws InputError, naming two nodes, where no way is left between two of these cores.
void check_ways(const Network& network, const std::vector<int>& cores);

}  // namespace tutti
