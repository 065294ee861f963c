#pragma once

#include <vector>

#include "algos/groups.hpp"
#include "topologies/network.hpp"

namespace tutti {

/// The groups of ranks that run on these cores. Both arguments must outlive it.
GroupTable groups_of(const Network& network, const std::vector<int>& core_of_rank, int ranks);

}  // namespace tutti
