#pragma once
// A network of which some cables are out of order.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "topologies/network.hpp"

namespace tutti {

/// The levels of a fabric's cables, each once, both directions under one name: "leaf" of "leaf-up" and "leaf-down".
std::vector<std::string> cable_levels(const Fabric& fabric);
/// The cables of a level in the fabric's order, each as its two directions. Empty for a level that it does not have.
std::vector<std::pair<LinkId, LinkId>> cables_of(const Fabric& fabric, const std::string& level);
/// All links at a switch.
std::vector<LinkId> links_at(const Fabric& fabric, int network_switch);

/// The network without the `failed` links between switches. A way that passes one of them becomes that which static
/// routing has for the next destination whose way passes none: so a subnet manager deals the destinations of a port
/// that is down out to the others. Where forwarding tables say the ways, it becomes one that is found as without
/// tables: a subnet manager would make others. All other ways stay as they are. Throws InputError on a link that is
/// none between switches; `route` of the result throws it where no way of the routing's own is left: it knows no longer
/// ones.
std::shared_ptr<const Network> without_links(std::shared_ptr<const Network> whole, const std::vector<LinkId>& failed);
/// Whether forwarding tables say the ways, also of a network without some links.
bool has_tables(const Fabric& fabric);

}  // namespace tutti
