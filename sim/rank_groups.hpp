#pragma once

#include <span>
#include <vector>

#include "algos/groups.hpp"
#include "algos/places.hpp"
#include "topologies/network.hpp"

namespace tutti {

/// The groups of ranks that run on these cores. Both arguments must outlive it.
GroupTable groups_of(const Network& network, const std::vector<int>& core_of_rank, int ranks);

/// Those that the network has, from the nearest on.
std::vector<Level> levels_of(const Network& network);
/// Where they are, at each level that the network has.
Places places_of(const Network& network, std::span<const int> core_of_rank);

}  // namespace tutti
