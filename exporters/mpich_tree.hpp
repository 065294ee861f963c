#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algos/case.hpp"

namespace tutti {

/// MPICH's selection file (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE): objects in objects, keys are conditions, the
/// first that holds is entered, in the file's order, and nothing is tried after it; a leaf is an algorithm with its
/// parameters.
using MpichTree = nlohmann::ordered_json;

/// The key of a collective's tree.
inline std::string mpich_key(Collective collective) { return "collective=" + std::string(name_of(collective)); }

/// A condition that compares a figure of the call with a number: "comm_size<=8".
struct MpichComparison {
  std::string_view figure;
  bool inclusive = false;
  std::int64_t limit = 0;
};
/// Nothing where the condition is none of these.
std::optional<MpichComparison> mpich_comparison(std::string_view condition);

/// What MPICH selects by itself, as such a file; it stops a program whose file lacks anything.
const MpichTree& mpich_default();

/// Throws InputError "ORIGIN:LINE: /json/pointer: what was expected": on unknown conditions, on numbers above what the
/// library reads (an int), and where an object that is no leaf ends without a condition that always holds.
MpichTree parse_mpich_tree(const std::string& text, const std::string& origin);

/// The leaf for a call of ranks on so many nodes: {"algorithm=…": {…}}. A tree that was parsed has one.
/// The conditions that are entered on the way go to `path` (may be nullptr).
const MpichTree& leaf_of(const MpichTree& tree, const Case& c, int nodes, std::vector<std::string>* path = nullptr);

}  // namespace tutti
