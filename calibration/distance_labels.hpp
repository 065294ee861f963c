#pragma once

#include <optional>
#include <string_view>

#include "topologies/network.hpp"

namespace tutti {

/// The distance a person's label means. Case, blanks, punctuation and what stands in parentheses do not count; a label
/// is known by how it ends, so that "CrayMPICH_intraccx" is known too:
///   cache    same/intra + ccx, l3, cache;  "cache"
///   numa     same/intra + numa;            "numa"
///   socket   same/intra + socket;          "socket"
///   node     other/different/inter/cross + socket; same/intra + node; "node"
///   network  other/different/inter + node; "network"
/// None for any other label.
std::optional<Distance> distance_of_label(std::string_view label);

}  // namespace tutti
