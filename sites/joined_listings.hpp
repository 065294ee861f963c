#pragma once

#include <string>
#include <vector>

#include "sites/fabric_listing.hpp"

namespace tutti {

/// Listings that say each cable once, though several of one fabric were given. Plain data.
struct JoinedListings {
  std::vector<FabricListing> listings;
  std::vector<std::string> notes;           ///< what a reader should know, a line each
  std::vector<std::string> contradictions;  ///< two places that cannot both be right, or a listing that is cut
};

/// Takes from each listing the cables that an earlier one has; a switch has the id that it has in the first. Devices of
/// two listings are one where their GUIDs are, adapters also by their ports', so that a listing with -p joins one
/// without. Where two disagree about a port, the earlier is taken. A device that no listing describes, though a cable
/// leads there, is a contradiction: ibnetdiscover writes a section for each; lines of ports (-p) may be chosen ones, so
/// there it is noted.
JoinedListings join_listings(std::vector<FabricListing> listings);

}  // namespace tutti
