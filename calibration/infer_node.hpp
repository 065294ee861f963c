#pragma once

#include <optional>
#include <span>

#include "calibration/measurement.hpp"
#include "calibration/node_parts.hpp"

namespace tutti {

/// The number of cores in a complete table of core pairs (every two of cores 0 to n-1); none if there is no such table.
std::optional<int> cores_of_pairs(std::span<const Series> series);

/// A node's sockets, and the caches in them, as a complete table of core pairs shows them:
///   - a pair's relative latency is its median ratio, over sizes up to 64 KiB, to the median pair;
///   - the largest gap of a third or more between the sorted relative latencies separates pairs of one socket from
///     others; the largest such gap below it separates pairs that share a cache.
/// Throws InputError if the cores do not fall into equal runs that way.
NodeParts infer_node(std::span<const Series> series, int cores);

}  // namespace tutti
