#pragma once
// Where flows get in each other's way on a machine's fabric, and where a machine file switches that off.

#include <string>
#include <vector>

#include "topologies/network.hpp"

namespace tutti {

/// The levels of a fabric's links (Link::level), in their order: on which flows share the bandwidth, and on which each
/// gets all of it however many there are.
struct FabricLevels {
  std::vector<std::string> shared, unshared;
  bool adaptive = false;  // routing is
};
FabricLevels fabric_levels(const Network& network);

/// "full", "partial", "none": on all, some, or no levels flows share. "full" of a fabric without links between
/// switches.
const char* contention_word(const FabricLevels& levels);
/// One line that a person understands; empty where all levels are shared and ways are those of tables or hashes.
std::string contention_note(const FabricLevels& levels);

/// What a machine file changes without effect: numbers of cables that no embedded machine has there, and that are not
/// shared. A line each, "ORIGIN:LINE: /json/pointer: …". The text must be a machine's.
std::vector<std::string> idle_changes(const std::string& text, const std::string& origin);

}  // namespace tutti
