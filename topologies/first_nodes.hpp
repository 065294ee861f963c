#pragma once
// A part of a large network, for those who need no more.

#include <memory>

#include "topologies/network.hpp"

namespace tutti {

/// The network's first nodes with all of its switches: between these nodes, routes and links are the same, but the
/// links of the other nodes are not there, so that what works in the number of links is quicker. Throws
/// InputError unless 1 <= nodes <= whole->nodes().
std::shared_ptr<const Network> first_nodes(std::shared_ptr<const Network> whole, int nodes);

}  // namespace tutti
