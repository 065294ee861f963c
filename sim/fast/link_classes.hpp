#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/symmetry.hpp"
#include "topologies/network.hpp"

namespace tutti::fast {

/// Whether moving nodes moves links: the i-th link from one node to another goes to the i-th link between the nodes
/// that these two are moved to, which has the same figures; a link that can be full always to the same one; and no move
/// but that by nothing leaves such a link where it is. Then these fall into classes of as many as there are blocks, and
/// the result says of each link which one stands for its class; of others, themselves. Nothing where it is not so.
/// `can_fill` says by link of the network whether it can be full; `nodes` are moved, as numbered by their places in it.
/// Looks at every way between any two of them.
std::optional<std::vector<LinkId>> link_classes(const Network& network, std::span<const int> nodes,
                                                const BlockMoves& moves, const std::vector<bool>& can_fill);

}  // namespace tutti::fast
