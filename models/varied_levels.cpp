#include <fmt/core.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "models/machine_paths.hpp"
#include "models/variation.hpp"

namespace tutti {
namespace {

using nlohmann::json;

constexpr const char* kDistances[] = {"cache", "numa", "socket", "node", "network"};

/// Of the messages at a distance, those of all their segments.
std::vector<std::string> segments_of(const json& root, const std::string& distance) {
  std::vector<std::string> found;
  for (const std::string owner : {"/transport", "/larger_jobs/transport"})
    if (const json::json_pointer at(fmt::format("{}/{}/segments", owner, distance)); root.contains(at))
      for (std::size_t i = 0; i < root[at].size(); ++i) found.push_back(at.to_string() + "/" + std::to_string(i));
  return found;
}

/// The objects that hold the figures of a level. Of a machine that has no messages of its own between the sockets of a
/// node, "node" is all of those inside a node.
std::vector<std::string> objects_of(const json& root, const std::string& level) {
  std::vector<std::string> found;
  for (const CableLevel& cables : cable_levels_of(root))
    if (cables.name == level) found.push_back(cables.pointer);
  for (const std::string channel : {"core", "memory", "domain_link", "socket_link", "injection"})
    if (level == channel && root["node"].contains(channel)) found.push_back("/node/" + channel);
  if (level == "nic")
    for (std::size_t i = 0; i < root["node"]["nics"].size(); ++i) found.push_back("/node/nics/" + std::to_string(i));
  const std::vector<std::string> own = segments_of(root, level);
  found.insert(found.end(), own.begin(), own.end());
  if (level != "node" || !found.empty()) return found;
  for (const std::string inside : {"cache", "numa", "socket"}) {
    const std::vector<std::string> segments = segments_of(root, inside);
    found.insert(found.end(), segments.begin(), segments.end());
  }
  return found;
}

std::vector<std::string> known_objects(const Variation& variation, const std::string& level) {
  std::vector<std::string> found = objects_of(variation.root(), level);
  if (!found.empty()) return found;
  std::string known;
  for (const std::string& name : variation.levels()) known += (known.empty() ? "" : ", ") + name;
  throw InputError("unknown level '" + level + "': expected one of " + known + did_you_mean(level, variation.levels()));
}

std::vector<std::string> with_key(std::vector<std::string> pointers, const std::string& key) {
  for (std::string& pointer : pointers) pointer = fmt::format("{}.{}", dotted(pointer), key);
  return pointers;
}

}  // namespace

std::vector<CableLevel> cable_levels_of(const json& machine) {
  const auto network = machine["network"].items().begin();
  const std::string& kind = network.key();
  const std::string at = "/network/" + kind;
  const json& fabric = network.value();
  std::vector<CableLevel> levels;
  if (kind == "fat_tree")
    for (std::size_t i = 0; i < fabric["layers"].size(); ++i)
      levels.push_back({i == 0   ? "leaf"
                        : i == 1 ? "spine"
                                 : "level" + std::to_string(i + 1),
                        at + "/layers/" + std::to_string(i)});
  if (kind == "dragonfly_plus") levels.push_back({"leaf", at + "/local"});
  if (kind == "dragonfly")
    for (const std::string level : {"local", "chassis"})
      if (fabric.contains(level)) levels.push_back({level, fmt::format("{}/{}", at, level)});
  if (kind == "dragonfly" || kind == "dragonfly_plus")
    if (fabric.contains("global")) levels.push_back({"global", at + "/global"});
  if (kind == "torus" || kind == "graph") levels.push_back({"cable", at + "/cable"});
  return levels;
}

std::vector<std::string> Variation::levels() const {
  std::vector<std::string> names;
  for (const CableLevel& cables : cable_levels_of(root_)) names.push_back(cables.name);
  for (const std::string name : {"nic", "core", "memory", "domain_link", "socket_link", "injection"})
    if (!objects_of(root_, name).empty()) names.push_back(name);
  for (const std::string name : kDistances)
    if (!objects_of(root_, name).empty()) names.push_back(name);
  return names;
}

/// The lines of a list of cables may have figures of their own: what is said of each cable is said of these, too.
bool Variation::set_listed_cables(const std::string& level, const std::string& what, const std::string& unit,
                                  const std::string& value) {
  if (level != "cable" || !root_["network"].contains("graph")) return false;
  if (!value.ends_with('%')) {
    set_figures({"network.graph.all_" + what + "_" + unit}, value);
    // It is no part of what was said of them before.
    if (root_["network"]["graph"].contains(what + "_times")) set_at("/network/graph/" + what + "_times", 1.0);
    return true;
  }
  json& times = root_["network"]["graph"][what + "_times"];
  if (times.is_null()) times = 1.0;
  set_figures({"network.graph." + what + "_times"}, value);
  return true;
}

void Variation::set_latency(const std::string& level, const std::string& value) {
  if (set_listed_cables(level, "latency", "seconds", value)) return;
  set_figures(with_key(known_objects(*this, level), "latency_seconds"), value);
}

void Variation::set_bandwidth(const std::string& level, const std::string& value) {
  if (set_listed_cables(level, "bandwidth", "bytes_per_second", value)) return;
  const std::vector<std::string> objects = known_objects(*this, level);
  const std::string key = "bandwidth_bytes_per_second";
  const json::json_pointer first(objects.front() + "/" + key);
  const double before = root_[first].get<double>();
  set_figures(with_key(objects, key), value);
  if (level != "nic") return;
  const double after = root_[first].get<double>();
  for (const std::string& object : objects)
    if (const std::string both = object + "/both_directions_bytes_per_second"; root_.contains(json::json_pointer(both)))
      set_at(both, root_[json::json_pointer(both)].get<double>() * after / before);
  follow_adapters(before, after);
}

std::string Variation::unshared_cables(const std::string& level) const {
  for (const CableLevel& cables : cable_levels_of(root_))
    if (cables.name == level && !root_[json::json_pointer(cables.pointer)].value("shared", true))
      return dotted(cables.pointer);
  return "";
}

}  // namespace tutti
