#pragma once

#include <optional>
#include <vector>

#include "models/machine.hpp"
#include "selection/candidates.hpp"

namespace tutti {

/// How a message goes at one distance.
struct Protocol {
  bool eager = true;
  bool acknowledged = false;  // an eager one, whose sender waits for that
  int segment = 0;            // of the transport's
  friend bool operator==(const Protocol&, const Protocol&) = default;
};

/// Of a choice's messages at these distances:
///   * the mean one, and one that is shorter by a quarter, as some are;
///   * where blocks may be scattered in the end, a rank's block;
///   * where a root's data is halved on its way, the two longest;
///   * where it goes by nodes of `ppn` ranks, parts of ranks and of nodes; where there is a radix, the first parts.
/// Empty where nothing is declared.
std::vector<Protocol> protocols_of(const Machine& machine, const std::vector<Distance>& distances, const Choice& real,
                                   const std::optional<Counts>& counts, const Case& c, int ppn);

}  // namespace tutti
