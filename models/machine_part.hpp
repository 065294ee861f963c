#pragma once

#include "models/machine.hpp"

namespace tutti {

/// A machine of which only these nodes are there, which are the first: what engines set up grows with the links.
Machine first_nodes(const Machine& machine, int nodes);

}  // namespace tutti
