#pragma once

#include <nlohmann/json.hpp>

#include "topologies/network.hpp"

namespace tutti::cli {

/// The network as someone who builds it needs it, {nodes, switches, links, routes}: every link on the way from the
/// first core of one node to the first of another, with its figures and the two ends that it joins ("node/3",
/// "switch/0"), and the links of each route in order, as indices into `links`. Throws InputError above 1,024 nodes, as
/// routes grow with their square.
nlohmann::ordered_json routes_json(const Network& network);

}  // namespace tutti::cli
