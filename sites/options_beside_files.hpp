#pragma once

#include <string>
#include <vector>

#include "sites/sources.hpp"

namespace tutti {

/// What a person gave as a node's ports (--nic-rate, --nics) where files say another; `cabling` has what was taken.
void compare_given_ports(const SiteRequest& request, const Sources& sources, const Cabling& cabling,
                         std::vector<std::string>& contradictions);

/// What a person gave as the rate of cables (--global-rate), though a listing says that of each: no contradiction where
/// it is that of each cable, or of all together that a switch with hosts has to others.
void compare_given_cables(const SiteRequest& request, const Cabling& cabling, std::vector<std::string>& contradictions);

}  // namespace tutti
