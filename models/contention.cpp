#include "models/contention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "json/document.hpp"
#include "models/machine.hpp"

namespace tutti {
namespace {

using nlohmann::json;

/// An object of unshared cables, and its numbers of cables.
struct Unshared {
  json::json_pointer at;
  std::map<std::string, json> counts;
  friend bool operator==(const Unshared&, const Unshared&) = default;
};

void collect_unshared(const json& root, const json::json_pointer& at, std::vector<Unshared>& into) {
  const json& value = root[at];
  if (!value.is_structured()) return;
  if (value.is_object() && !value.value("shared", true)) {
    Unshared found{at, {}};
    for (const char* key : {"parents", "cables"})
      if (value.contains(key)) found.counts[key] = value[key];
    const json& owner = root[at.parent_pointer()];  // says how many cables join two groups
    if (at.back() == "global" && owner.contains("global_cables"))
      found.counts["global_cables"] = owner["global_cables"];
    if (!found.counts.empty()) into.push_back(std::move(found));
  }
  for (const auto& member : value.items())
    if (value.is_object())
      collect_unshared(root, at / member.key(), into);
    else
      collect_unshared(root, at / std::stoul(member.key()), into);
}

std::vector<Unshared> unshared_of(const json& root) {
  std::vector<Unshared> found;
  collect_unshared(root, json::json_pointer("/network"), found);
  return found;
}

bool is_embedded(const Unshared& one) {
  for (const std::string& name : machine_names()) {
    const std::vector<Unshared> theirs = unshared_of(json::parse(machine_text(name)));
    if (std::find(theirs.begin(), theirs.end(), one) != theirs.end()) return true;
  }
  return false;
}

}  // namespace

FabricLevels fabric_levels(const Network& network) {
  FabricLevels levels;
  levels.adaptive = network.fabric().routing() == Routing::adaptive;
  const auto add = [](std::vector<std::string>& to, const std::string& level) {
    if (std::find(to.begin(), to.end(), level) == to.end()) to.push_back(level);
  };
  for (const Link& link : network.fabric().links())
    add(link.shared ? levels.shared : levels.unshared, link.level.label());
  return levels;
}

const char* contention_word(const FabricLevels& levels) {
  if (levels.unshared.empty()) return "full";
  return levels.shared.empty() ? "none" : "partial";
}

std::string contention_note(const FabricLevels& levels) {
  if (levels.unshared.empty())
    return levels.adaptive ? "fabric shared; routing is adaptive, taken as ideal: parallel cables (" +
                                 fmt::to_string(fmt::join(levels.shared, ", ")) +
                                 ") are one trunk, on which flows meet when all are full"
                           : "";
  return std::string("fabric ") + (levels.shared.empty() ? "without contention" : "partly without contention") +
         ": each flow gets the full rate of its cables (" + fmt::to_string(fmt::join(levels.unshared, ", ")) +
         "), however many pass; taper and numbers of cables there change nothing";
}

std::vector<std::string> idle_changes(const std::string& text, const std::string& origin) {
  std::vector<std::string> lines;
  const Document document(text, origin);
  for (const Unshared& one : unshared_of(document.root())) {
    if (is_embedded(one)) continue;
    std::string counts;
    for (const auto& [key, value] : one.counts) counts += (counts.empty() ? "" : ", ") + key + " " + value.dump();
    lines.push_back(document.message(
        one.at.to_string(), counts +
                                " changes no predicted time, as \"shared\": false gives every flow the full rate of "
                                "these cables, however many pass; \"shared\": true makes flows contend"));
  }
  return lines;
}

}  // namespace tutti
