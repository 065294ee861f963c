#include "models/failure.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/counted.hpp"
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

bool has_failed(const Failures& failures, LinkId link) {
  return std::find(failures.links.begin(), failures.links.end(), link) != failures.links.end();
}

void without(Failures& failures, const std::vector<LinkId>& links) {
  failures.links.insert(failures.links.end(), links.begin(), links.end());
  failures.machine = on(failures.machine, without_links(failures.machine.network, links));
}

void fail_cable(Failures& failures, const std::string& level, const std::string& place) {
  const Fabric& fabric = failures.machine.network->fabric();
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
  const auto is_out = [&](const std::pair<LinkId, LinkId>& cable) { return has_failed(failures, cable.first); };
  // In lists of cables, those without latency are adapters of hosts that hang on a switch which stands for these.
  const auto is_in_order = [&](const std::pair<LinkId, LinkId>& cable) {
    return !is_out(cable) && fabric.links()[cable.first].latency_seconds > 0;
  };
  auto cable = std::find_if(cables.begin(), cables.end(), is_in_order);
  if (cable == cables.end()) cable = std::find_if_not(cables.begin(), cables.end(), is_out);
  if (!place.empty())
    cable = cables.begin() + number_below(place, static_cast<int>(cables.size()), "cable of " + level);
  if (cable == cables.end()) throw InputError("all cables of " + level + " are out of order already");
  if (is_out(*cable)) throw InputError("it is out of order already");
  const auto [there, back] = *cable;
  expect_shared(fabric, {there, back});
  const Cable ends = fabric.cables()[there];
  const bool by_tables = has_tables(fabric);
  without(failures, {there, back});
  failures.notes.push_back(
      "one of " + counted(cables.size(), "cable") + " of " + level + " is out of order, from switch " +
      std::to_string(ends.from_switch) + " to switch " + std::to_string(ends.to_switch) + "; what went over it takes " +
      (by_tables ? "another shortest way, for the forwarding tables have none" : "the next way of the routing"));
}

void fail_node(Failures& failures, int node) {
  if (std::find(failures.nodes.begin(), failures.nodes.end(), node) != failures.nodes.end())
    throw InputError("it is out of order already");
  failures.nodes.push_back(node);
  failures.notes.push_back("node " + std::to_string(node) + " is out of order; ranks take the others");
}

void fail_switch(Failures& failures, const std::string& place) {
  const Fabric& fabric = failures.machine.network->fabric();
  const int number = number_below(place, fabric.switches(), "switch");
  std::vector<LinkId> cables = links_at(fabric, number);
  std::vector<int> nodes;
  for (int node = 0; node < fabric.nodes(); ++node)
    if (fabric.switch_of(node) == number) nodes.push_back(node);
  if (nodes.empty()) expect_shared(fabric, cables);
  // A cable or a node of it may have failed before.
  const auto is_out = [&](LinkId link) { return has_failed(failures, link); };
  cables.erase(std::remove_if(cables.begin(), cables.end(), is_out), cables.end());
  for (const int node : failures.nodes) nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
  if (cables.empty() && nodes.empty()) throw InputError("it is out of order already");
  if (!cables.empty()) without(failures, cables);
  failures.nodes.insert(failures.nodes.end(), nodes.begin(), nodes.end());
  failures.notes.push_back("switch " + std::to_string(number) + " is out of order with " +
                           counted(cables.size() / 2, "cable") + " to other switches and " +
                           counted(nodes.size(), "node"));
}

}  // namespace

void add_failure(Failures& failures, const std::string& what) {
  const Network& network = *failures.machine.network;
  const std::size_t colon = std::min(what.find(':'), what.size());
  const std::string kind = what.substr(0, colon), rest = what.substr(std::min(what.size(), colon + 1));
  if (kind == "node") return fail_node(failures, number_below(rest, network.nodes(), "node"));
  if (kind == "switch" || kind == "cable") expect_cables(network.fabric());
  if (kind == "switch") return fail_switch(failures, rest);
  const std::size_t second = std::min(rest.find(':'), rest.size());
  if (kind == "cable")
    return fail_cable(failures, rest.substr(0, second), rest.substr(std::min(rest.size(), second + 1)));
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
