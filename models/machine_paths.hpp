#pragma once
// The figures of a machine file by path. For Variation alone.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tutti {

/// One figure that a machine file has or may have.
struct MachinePath {
  std::string pointer;
  std::string type;                ///< of the schema: "number", "integer", "boolean", "string"
  std::vector<std::string> words;  ///< the values that a string may have; empty: any
};

/// All that the model is made of, in the file's order of keys sorted by name.
std::vector<MachinePath> machine_paths(const nlohmann::json& machine);
/// Those of them that a dotted path with * for any element names. Throws InputError naming what is known where it leads
/// nowhere.
std::vector<MachinePath> find_paths(const nlohmann::json& machine, const std::string& path);
/// "/network/fat_tree" -> "network.fat_tree".
std::string dotted(const std::string& pointer);

}  // namespace tutti
