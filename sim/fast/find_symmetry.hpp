#pragma once

#include "sim/engine.hpp"
#include "sim/symmetry.hpp"

namespace tutti::fast {

/// The fewest ranks that can stand for all of an experiment: found by running the algorithm on every rank without
/// time, and by comparing the ways between all nodes. Only where whole nodes are filled alike, rank after rank; where
/// ranks begin at one time; and where no message is so long that those of a pair take turns. Trivial where there is no
/// such symmetry.
Symmetry find_symmetry(const Machine& machine, const Experiment& experiment);

}  // namespace tutti::fast
