#include "calibration/switch_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "topologies/first_nodes.hpp"

namespace tutti {
namespace {

using nlohmann::json;

constexpr int kMostNodes = 16;

struct Boundary {
  const char* level;
  int node;  ///< the first behind it
};

std::vector<Boundary> boundaries_of(const Network& network) {
  std::vector<Boundary> all;
  const auto add = [&](const char* level, auto place_of) {
    int node = 1;
    while (node < network.nodes() && place_of(node) == place_of(0)) ++node;
    if (node > 1 && node < network.nodes()) all.push_back({level, node});
  };
  if (network.leaves() > 1) add("leaf", [&](int node) { return network.leaf_of(node); });
  if (network.groups() > 1) add("group", [&](int node) { return network.group_of(node); });
  return all;
}

/// One call on both sides.
class Crossing {
 public:
  Crossing(const Engine& engine, const Algorithm& algorithm, const Boundary& boundary, std::int64_t bytes)
      : engine_(engine), choice_(default_choice(algorithm)), boundary_(boundary) {
    const Collective collective = algorithm.collective();
    const int ranks = std::min(boundary.node, kMostNodes);
    const std::int32_t element = default_element_bytes(collective);
    case_ = {collective, ranks,        count_for_total_bytes(collective, ranks, element, bytes), element, 0,
             false,      Operator::sum};
  }

  bool can_run() const { return case_.count > 0 && why_not(choice_, case_).empty(); }

  /// Empty: the engine refuses it.
  std::optional<Jump> on(const Machine& whole) const {
    Machine machine = whole.for_job(case_.ranks);
    machine.larger_jobs = nullptr;
    machine.network = first_nodes(whole.network, boundary_.node + 1);
    const auto before = seconds(machine, boundary_.node - 1), after = seconds(machine, boundary_.node);
    if (!before || !after) return std::nullopt;
    Jump jump;
    jump.collective = case_.collective, jump.algorithm = choice_.text(), jump.boundary = boundary_.level;
    jump.nodes = jump.from_ranks = jump.to_ranks = case_.ranks;
    jump.from_bytes = jump.to_bytes = total_bytes(case_);
    jump.from_seconds = *before, jump.to_seconds = *after;
    return jump;
  }

 private:
  std::optional<double> seconds(const Machine& machine, int last) const {
    std::vector<int> cores;
    for (int node = 0; node + 1 < case_.ranks; ++node) cores.push_back(node * machine.network->cores_per_node());
    cores.push_back(last * machine.network->cores_per_node());
    const Experiment experiment{case_, choice_, cores, Mode{}, 1, false, nullptr};
    const Result result = engine_.run(machine, std::span(&experiment, 1)).front();
    if (!result.refused.empty() || result.makespan_seconds <= 0) return std::nullopt;
    return result.makespan_seconds;
  }

  const Engine& engine_;
  Choice choice_;
  Boundary boundary_;
  Case case_;
};

double height_of(const Jump& jump) { return std::abs(std::log(jump.to_seconds / jump.from_seconds)); }

/// What a figure of the network would be if it delayed and held up nothing; empty: it does neither.
std::optional<json> without_effect(const std::string& pointer, const json& value) {
  const std::string_view name = std::string_view(pointer).substr(pointer.rfind('/') + 1);
  if (name == "latency_seconds") return 0;
  if (name == "bandwidth_bytes_per_second") return 8 * value.get<double>();
  if (name == "cables" || name == "global_cables" || name == "parents") return 8 * value.get<std::int64_t>();
  return std::nullopt;
}

void blame_network(Jump& jump, const Crossing& crossing, const json& document, const std::string& origin,
                   const std::map<std::string, Figure>& figures) {
  constexpr const char* kNetwork = "/network/";
  double least = 0.5 * height_of(jump);
  for (auto at = figures.lower_bound(kNetwork); at != figures.end() && at->first.starts_with(kNetwork); ++at) {
    const json::json_pointer pointer(at->first);
    const std::optional<json> other = without_effect(at->first, document[pointer]);
    if (!other) continue;
    json changed = document;
    changed[pointer] = *other;
    try {
      const std::optional<Jump> left = crossing.on(parse_machine(changed.dump(), origin));
      if (!left) continue;
      const double remains = height_of(*left);
      const Figure& figure = at->second;
      if (remains > least || (remains == least && !figure.guess)) continue;  // of two, a guess may be the reason
      least = remains;
      jump.figure = figure.pointer + " = " + figure.value, jump.source = figure.source, jump.guessed = figure.guess;
    } catch (const InputError&) {
      continue;  // with this value it is no network (the text itself has been read): not by this figure alone
    }
  }
}

}  // namespace

std::vector<Jump> jumps_over_switches(const Engine& engine, const Machine& machine, const json& document,
                                      const std::string& origin, const std::map<std::string, Figure>& figures,
                                      const Algorithm& algorithm) {
  std::vector<Jump> jumps;
  for (const Boundary& boundary : boundaries_of(*machine.network))
    for (const std::int64_t bytes : kSizesToCompare) {
      const Crossing crossing(engine, algorithm, boundary, bytes);
      std::optional<Jump> jump = crossing.can_run() ? crossing.on(machine) : std::nullopt;
      if (!jump || height_of(*jump) < std::log(kJump)) continue;
      blame_network(*jump, crossing, document, origin, figures);
      jumps.push_back(std::move(*jump));
    }
  return jumps;
}

}  // namespace tutti
