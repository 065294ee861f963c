#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "models/machine_paths.hpp"
#include "models/variation.hpp"

namespace tutti {
namespace {

using nlohmann::json;

/// A number in the file that says how many cables there are: they come in so many times `step`.
struct CableCount {
  std::string pointer;
  double step;
};

/// What leads down from the switches of a level, or of a group, and the cables that lead up.
struct Uplinks {
  double down_bytes_per_second;
  std::string cable;  ///< pointer of the object that has its figures
  double cables;
  std::vector<CableCount> counts;  ///< any one of them may be changed
};

double number_at(const json& root, const std::string& pointer, double otherwise = 1) {
  const json::json_pointer at(pointer);
  return root.contains(at) ? root[at].get<double>() : otherwise;
}

double node_bytes_per_second(const json& root) {
  double all = 0;
  for (const json& nic : root["node"]["nics"])
    all += nic.value("count", 1) * nic["bandwidth_bytes_per_second"].get<double>();
  return all;
}

Uplinks of_fat_tree(const json& root, const std::string& pointer) {
  const json& tree = root["network"]["fat_tree"];
  const std::size_t layer = std::stoul(pointer.substr(pointer.rfind('/') + 1));
  const std::string& here = pointer;
  const std::string below = "/network/fat_tree/layers/" + std::to_string(layer - 1);
  const double parents = number_at(root, here + "/parents"), cables = number_at(root, here + "/cables");
  const double down = layer == 0 ? tree["nodes_per_leaf"].get<double>() * node_bytes_per_second(root)
                                 : number_at(root, below + "/children") * number_at(root, below + "/cables") *
                                       number_at(root, below + "/bandwidth_bytes_per_second");
  Uplinks up{down, here, parents * cables, {{here + "/cables", parents}}};
  // Fewer switches above would take away what leads further up, too.
  if (layer + 1 == tree["layers"].size()) up.counts.push_back({here + "/parents", cables});
  return up;
}

Uplinks of_groups(const json& root, const std::string& kind, double nodes_per_group) {
  const std::string at = "/network/" + kind;
  const double others = number_at(root, at + "/groups") - 1, cables = number_at(root, at + "/global_cables");
  return {nodes_per_group * node_bytes_per_second(root),
          at + "/global",
          others * cables,
          {{at + "/global_cables", others}}};
}

Uplinks uplinks_of(const json& root, const CableLevel& level) {
  const std::string kind = root["network"].items().begin().key(), at = "/network/" + kind;
  if (kind == "fat_tree") return of_fat_tree(root, level.pointer);
  if (kind == "dragonfly") {
    const double per_router = number_at(root, at + "/nodes_per_router"),
                 in_row = number_at(root, at + "/routers_per_chassis");
    if (level.name == "global")
      return of_groups(root, kind, per_router * in_row * number_at(root, at + "/chassis_per_group"));
    if (level.name == "local") return {per_router * node_bytes_per_second(root), level.pointer, in_row - 1, {}};
  }
  if (kind == "dragonfly_plus") {
    const double per_leaf = number_at(root, at + "/nodes_per_leaf");
    if (level.name == "global") return of_groups(root, kind, per_leaf * number_at(root, at + "/leaves_per_group"));
    const double spines = number_at(root, at + "/spines_per_group"),
                 cables = number_at(root, level.pointer + "/cables");
    return {
        per_leaf * node_bytes_per_second(root), level.pointer, spines * cables, {{level.pointer + "/cables", spines}}};
  }
  throw InputError("a taper is not defined for the level " + level.name + " of a " + kind + ": expected --bandwidth " +
                   level.name + "=… instead");
}

/// Four digits; what a group of a large machine has is no power of ten to people.
std::string rate(double bytes_per_second) {
  const double giga = bytes_per_second / 1e9;
  return giga >= 1e4 ? fmt::format("{:.0f} GB/s", giga) : fmt::format("{:.4g} GB/s", giga);
}

}  // namespace

bool Variation::has_trunks() const {
  const json& network = root_["network"];
  return network.begin()->value("routing", "") == "adaptive";
}

void Variation::set_taper(const std::string& level, double ratio) {
  const std::vector<CableLevel> known = cable_levels_of(root_);
  const auto found = std::find_if(known.begin(), known.end(), [&](const CableLevel& one) { return one.name == level; });
  if (found == known.end()) {
    std::vector<std::string> names;
    std::string all;
    for (const CableLevel& one : known) names.push_back(one.name), all += (all.empty() ? "" : ", ") + one.name;
    throw InputError("unknown level '" + level + "': " +
                     (all.empty() ? "the machine's fabric has no cables between switches"
                                  : "expected one of " + all + did_you_mean(level, names)));
  }
  if (!(ratio > 0 && ratio < 1e6)) throw InputError("expected a taper such as 3:1");
  const Uplinks up = uplinks_of(root_, *found);
  const std::string bandwidth = up.cable + "/bandwidth_bytes_per_second";
  const double cable = number_at(root_, bandwidth), wanted = up.down_bytes_per_second / ratio / cable;
  if (has_trunks()) {
    set_at(bandwidth, up.down_bytes_per_second / ratio / up.cables);
    notes_.push_back(
        fmt::format("taper {:.4g}:1 of {}: {} lead down and {} up; routing joins the cables to trunks, of "
                    "which only the width counts",
                    ratio, level, rate(up.down_bytes_per_second), rate(up.down_bytes_per_second / ratio)));
    return;
  }
  const auto taper_of = [&](double cables) { return up.down_bytes_per_second / (cables * cable); };
  const auto off = [&](double cables) { return std::abs(std::log(taper_of(cables) / ratio)); };
  const CableCount* best = nullptr;
  double best_cables = 0;
  for (const CableCount& count : up.counts)
    for (const double times : {std::floor(wanted / count.step), std::ceil(wanted / count.step)})
      if (const double cables = std::max(1.0, times) * count.step; !best || off(cables) < off(best_cables))
        best = &count, best_cables = cables;
  if (!best)
    throw InputError(fmt::format("the number of cables of {} follows from that of switches: expected --bandwidth {}=…",
                                 level, level));
  constexpr double kNear = 0.1;
  if (off(best_cables) > kNear)
    throw InputError(
        fmt::format("whole cables make no taper of {:.4g}:1 here; nearest is {:.4g}:1, by {:g} {} of {} "
                    "for {} downwards (--bandwidth {}=… changes their rate)",
                    ratio, taper_of(best_cables), best_cables, best_cables == 1 ? "cable" : "cables", rate(cable),
                    rate(up.down_bytes_per_second), level));
  set_at(best->pointer, static_cast<std::int64_t>(std::llround(best_cables / best->step)));
  notes_.push_back(fmt::format("taper {:.4g}:1 of {}: {} lead down, {:g} {} of {} up", taper_of(best_cables), level,
                               rate(up.down_bytes_per_second), best_cables, best_cables == 1 ? "cable" : "cables",
                               rate(cable)));
}

void Variation::set_adapters(int count, double bytes_per_second) {
  if (count < 1 || count > 1024) throw InputError("expected 1 to 1024 adapters");
  const json before = root_["node"]["nics"];
  if (before.empty()) throw InputError("the machine's nodes have no adapter: expected a machine of several nodes");
  int there = 0;
  std::map<double, int> by_rate;
  for (const json& nic : before) {
    there += nic.value("count", 1);
    by_rate[nic["bandwidth_bytes_per_second"].get<double>()] += nic.value("count", 1);
  }
  std::string adapters_before;
  for (const auto& [each, adapters] : by_rate)
    adapters_before += fmt::format("{}{} x {}", adapters_before.empty() ? "" : " + ", adapters, rate(each));
  const double rate_before = before[0]["bandwidth_bytes_per_second"].get<double>();
  json after = before;
  if (count != there) {
    const int domains = root_["node"]["sockets"].get<int>() * root_["node"]["domains_per_socket"].get<int>();
    std::vector<int> in_domain(static_cast<std::size_t>(domains));
    for (int i = 0; i < count; ++i) ++in_domain[static_cast<std::size_t>(std::int64_t{i} * domains / count)];
    after = json::array();
    for (int domain = 0; domain < domains; ++domain)
      if (const int here = in_domain[domain]; here > 0) {
        after.push_back(before[0]);
        after.back()["domain"] = domain;
        after.back()["count"] = here;
        after.back()["guess"] = true;
      }
    const bool in_turn = root_["node"].value("nic_policy", "nearest") == "in_turn";
    notes_.push_back(fmt::format("{} adapters in place of {}, over {} of {} NUMA domains; {}", count, there,
                                 after.size(), domains,
                                 in_turn ? "a node's ranks take them in turn" : "ranks use the nearest"));
  }
  for (json& nic : after) {
    const double part = bytes_per_second / nic["bandwidth_bytes_per_second"].get<double>();
    if (nic.contains("both_directions_bytes_per_second"))
      nic["both_directions_bytes_per_second"] = nic["both_directions_bytes_per_second"].get<double>() * part;
    nic["bandwidth_bytes_per_second"] = bytes_per_second;
  }
  if (after == before) return;
  root_["node"]["nics"] = after;
  edits_.push_back({"node.nics", adapters_before, fmt::format("{} x {}", count, rate(bytes_per_second))});
  follow_adapters(rate_before, bytes_per_second);
}

/// Of a message that is as fast as the adapter, or faster, the adapter is the only stage: left as it is, what it does
/// not flow at would become delay (Route::delay_seconds).
void Variation::follow_adapters(double before, double after) {
  if (before == after) return;
  for (const std::string owner : {"/transport/network/segments", "/larger_jobs/transport/network/segments"}) {
    const json::json_pointer at(owner);
    if (!root_.contains(at)) continue;
    for (std::size_t i = 0; i < root_[at].size(); ++i) {
      const std::string pointer = owner + "/" + std::to_string(i) + "/bandwidth_bytes_per_second";
      const double others = std::max(0.0, 1 / number_at(root_, pointer) - 1 / before);
      set_at(pointer, 1 / (others + 1 / after));
    }
  }
  notes_.push_back(
      "a lone message's rate goes with the adapter's, as one of the stages that it passes in turn (a guess)");
}

}  // namespace tutti
