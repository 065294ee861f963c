#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/symmetry.hpp"
#include "topologies/network.hpp"

namespace tutti::fast {

/// Which link stands for which, where moving all nodes by a number of blocks moves links:
///   * the i-th link on the way from one node to another becomes the i-th link on the way between the nodes that these
///     two are moved to, which has the same figures;
///   * a link that can be full becomes the same one on all ways;
///   * no move but that by nothing leaves such a link where it is.
/// Links that can be full then fall into classes of as many as there are blocks; the result says of each which one
/// stands for its class, and of other links themselves. Nothing where one of the three does not hold. `can_fill` says
/// by link of the network whether it can be full; `nodes` are moved, as numbered by their places in it. Looks at every
/// way between any two of them.
std::optional<std::vector<LinkId>> link_classes(const Network& network, std::span<const int> nodes,
                                                const BlockMoves& moves, const std::vector<bool>& can_fill);

}  // namespace tutti::fast
