#include "models/failure.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "topologies/failed_cables.hpp"

namespace tutti {
namespace {

/// A number from 0 to count - 1.
int number_below(std::string_view text, int count, const std::string& of) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value >= count)
    throw InputError("expected a " + of + " from 0 to " + std::to_string(count - 1) + ", got '" + std::string(text) +
                     "'");
  return value;
}

Machine on(const Machine& machine, std::shared_ptr<const Network> network) {
  Machine changed = machine;
  changed.network = std::move(network);
  if (machine.larger_jobs) {
    Machine larger = *machine.larger_jobs;
    larger.network = changed.network;
    changed.larger_jobs = std::make_shared<const Machine>(std::move(larger));
  }
  return changed;
}

void expect_shared(const Fabric& fabric, const std::vector<LinkId>& failed) {
  if (std::none_of(failed.begin(), failed.end(), [&](LinkId link) { return fabric.links()[link].shared; }))
    throw InputError(
        "it would change no predicted time, as \"shared\": false gives every flow the full rate of these cables, "
        "however many pass; --set PATH.shared=true on the cables makes flows contend");
}

/// A trunk is as wide as all cables that lead the same way, and none of them.
void expect_cables(const Fabric& fabric) {
  if (fabric.routing() == Routing::adaptive)
    throw InputError(
        "the machine's routing is adaptive, which joins the cables that lead the same way to one link: that a part "
        "of it fails is not modelled; expected node:N, or --bandwidth LEVEL=-10% for cables that are lost everywhere");
}

Failure cable_failure(const Machine& machine, const std::string& level, const std::string& place) {
  const Fabric& fabric = machine.network->fabric();
  std::vector<std::string> levels = cable_levels(fabric);
  // A torus's cables are one level to all that changes their figures, and one for each dimension to routes.
  const bool is_any = level == "cable" && !levels.empty() && levels.front().starts_with("torus-");
  if (!is_any && std::find(levels.begin(), levels.end(), level) == levels.end()) {
    if (levels.empty()) throw InputError("the machine's fabric has no cables between switches");
    std::string known;
    for (const std::string& one : levels) known += (known.empty() ? "" : ", ") + one;
    throw InputError((level.empty() ? "expected cable:LEVEL, with one of the levels "
                                    : "unknown level '" + level + "': expected one of ") +
                     known + (level.empty() ? "" : did_you_mean(level, levels)));
  }
  if (!is_any) levels = {level};
  std::vector<std::pair<LinkId, LinkId>> cables;
  for (const std::string& one : levels) {
    const auto of_level = cables_of(fabric, one);
    cables.insert(cables.end(), of_level.begin(), of_level.end());
  }
  if (cables.empty()) throw InputError("cables of " + level + " go one way only");
  const auto [there, back] = cables[static_cast<std::size_t>(
      place.empty() ? 0 : number_below(place, static_cast<int>(cables.size()), "cable of " + level))];
  expect_shared(fabric, {there, back});
  const Cable& ends = fabric.cables()[there];
  return {on(machine, without_links(machine.network, {there, back})),
          {},
          "one of " + std::to_string(cables.size()) + " cables of " + level + " is out of order, from switch " +
              std::to_string(ends.from_switch) + " to switch " + std::to_string(ends.to_switch) +
              "; what went over it takes the next way of the routing"};
}

Failure switch_failure(const Machine& machine, const std::string& place) {
  const Fabric& fabric = machine.network->fabric();
  const int number = number_below(place, fabric.switches(), "switch");
  Failure failure{machine, {}, ""};
  for (int node = 0; node < fabric.nodes(); ++node)
    if (fabric.switch_of(node) == number) failure.nodes.push_back(node);
  const std::vector<LinkId> failed = links_at(fabric, number);
  if (failure.nodes.empty()) expect_shared(fabric, failed);
  if (!failed.empty()) failure.machine = on(machine, without_links(machine.network, failed));
  failure.note = "switch " + std::to_string(number) + " is out of order with " + std::to_string(failed.size() / 2) +
                 " cables to other switches and " + std::to_string(failure.nodes.size()) + " nodes";
  return failure;
}

}  // namespace

Failure failure_of(const Machine& machine, const std::string& what) {
  const std::size_t colon = std::min(what.find(':'), what.size());
  const std::string kind = what.substr(0, colon), rest = what.substr(std::min(what.size(), colon + 1));
  if (kind == "node") {
    const int node = number_below(rest, machine.network->nodes(), "node");
    return {machine, {node}, "node " + std::to_string(node) + " is out of order; ranks take the others"};
  }
  if (kind == "switch" || kind == "cable") expect_cables(machine.network->fabric());
  if (kind == "switch") return switch_failure(machine, rest);
  const std::size_t second = std::min(rest.find(':'), rest.size());
  if (kind == "cable")
    return cable_failure(machine, rest.substr(0, second), rest.substr(std::min(rest.size(), second + 1)));
  throw InputError("expected cable:LEVEL, cable:LEVEL:N, switch:N or node:N, got '" + what + "'" +
                   did_you_mean(kind, {"cable", "switch", "node"}));
}

void check_ways(const Network& network, const std::vector<int>& cores) {
  std::set<int> nodes;
  for (const int core : cores) nodes.insert(network.node_of(core));
  const auto nics = static_cast<int>(network.node_shape().nics.size());
  std::vector<LinkId> way;
  for (const int from : nodes)
    for (const int to : nodes)
      for (int nic = 0; nic < nics && from != to; ++nic) {
        way.clear();
        network.fabric().route(from, to, network.fabric().destination(to, nic), way);
      }
}

}  // namespace tutti
