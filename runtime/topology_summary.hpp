#pragma once

#include <string>

namespace tutti {

/// What hwloc sees of this machine, in words: its version, packages, NUMA domains, cores, and how many of its
/// processing units this process may run on. Throws TeamError where hwloc cannot read it.
std::string topology_summary();

}  // namespace tutti
