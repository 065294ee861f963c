#pragma once

#include <optional>
#include <span>

#include "calibration/measurement.hpp"
#include "calibration/node_parts.hpp"

namespace tutti {

/// The number of cores in a complete table of core pairs (every two of cores 0 to n-1); none if there is no such table.
std::optional<int> cores_of_pairs(std::span<const Series> series);

/// A node's sockets, and the caches in them, as a complete table of core pairs shows them. A pair's slowness is its
/// median ratio, over sizes up to 64 KiB, to the median pair; where the sorted slownesses have a gap of a third or more
/// there are two levels, the greatest such gap parting the sockets, the next greatest below it what shares a cache.
/// Throws InputError if the cores do not fall into equal runs that way.
NodeParts infer_node(std::span<const Series> series, int cores);

}  // namespace tutti
