#pragma once

#include <nlohmann/json.hpp>

#include "topologies/network.hpp"

namespace tutti::cli {

/// The network as someone who builds it needs it, {nodes, switches, links, routes}:
///   links   every one between the first cores of two nodes, with its figures and its two ends ("node/3", "switch/0");
///   routes  from each node to each other, as indices into `links`, in order.
/// Throws InputError above 1,024 nodes, as routes grow with their square.
nlohmann::ordered_json routes_json(const Network& network);

}  // namespace tutti::cli
