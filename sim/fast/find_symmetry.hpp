#pragma once

#include "sim/engine.hpp"
#include "sim/fast/fillable_links.hpp"
#include "sim/symmetry.hpp"

namespace tutti::fast {

/// The fewest ranks that can stand for all of an experiment, found by running the algorithm on every rank without time
/// and by comparing the ways between all nodes. Trivial where there is no such symmetry, and unless
///   * whole nodes are filled alike, rank after rank;
///   * all ranks begin at one time;
///   * no message is so long that those of a pair take turns;
///   * none is lost and sent again.
/// `can_fill`: fillable_links of the same.
Symmetry find_symmetry(const Machine& machine, const Experiment& experiment, const std::vector<bool>& can_fill);
inline Symmetry find_symmetry(const Machine& machine, const Experiment& experiment) {
  return find_symmetry(machine, experiment, fillable_links(machine, experiment));
}

}  // namespace tutti::fast
