#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

// As in machine files (models/machine.schema.json).
constexpr double least_bandwidth = 1e3, most_bandwidth = 1e15, most_latency = 1;

}  // namespace

CableList parse_cables(const std::string& text, const std::string& origin, const Channel& cable) {
  CableList list;
  std::map<std::string, int, std::less<>> switches;
  std::map<std::string, int, std::less<>> nodes;
  std::map<std::pair<int, int>, int> cables;           // between two switches, the lower first
  std::map<std::pair<int, int>, int> lines_of_routes;  // by switch and node
  int line = 0;
  const auto fail = [&](const std::string& expected) {
    throw InputError(origin + ":" + std::to_string(line) + ": " + expected);
  };
  const auto switch_named = [&](std::string_view name) {
    if (name.empty()) fail("expected the name of a switch");
    const auto [found, first] = switches.try_emplace(std::string(name), static_cast<int>(list.switches.size()));
    if (first) list.switches.emplace_back(name);
    return found->second;
  };
  const auto two_switches = [&](std::string_view a, std::string_view b) {
    const auto on = switches.find(a), next = switches.find(b);
    if (on == switches.end() || next == switches.end()) fail("expected switches that lines before have named");
    return std::pair(on->second, next->second);
  };
  const auto cable_between = [&](int a, int b, std::string_view number) {
    const auto joined = cables.find(std::minmax(a, b));
    if (joined == cables.end()) fail("expected switches that a cable of a line before joins");
    const int which = number_from<int>(number).value_or(-1);
    if (which < 0 || which >= joined->second)
      fail("expected a cable of 0 to " + std::to_string(joined->second - 1) + ", as many join the two");
    return which;
  };
  for (std::string_view rest = text; !rest.empty();) {
    ++line;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos)
      fail("the file ends inside this line, so its last field may be cut: expected a line end");
    std::string_view here = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (here.ends_with('\r')) here.remove_suffix(1);
    here = here.substr(0, here.find('#'));
    here = here.substr(0, here.find_last_not_of(" \t") + 1);
    if (here.empty()) continue;
    if (here.find('\0') != std::string_view::npos) fail("expected text, got a NUL byte");
    std::vector<std::string_view> fields;
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
      comma = here.find(',');
      fields.push_back(here.substr(0, comma));
      if (comma != std::string_view::npos) here.remove_prefix(comma + 1);
    }
    if (fields[0] == "node" && fields.size() == 3) {
      if (fields[1].empty() || !nodes.emplace(fields[1], static_cast<int>(list.nodes.size())).second)
        fail("expected a name that no node has yet");
      list.nodes.emplace_back(fields[1]);
      list.switch_of.push_back(switch_named(fields[2]));
    } else if (fields[0] == "cable" && (fields.size() == 3 || fields.size() == 4 || fields.size() == 6)) {
      CableList::Entry entry{switch_named(fields[1]), switch_named(fields[2]), 1, cable};
      if (entry.switch_a == entry.switch_b) fail("expected a cable between two different switches");
      if (fields.size() > 3) {
        entry.cables = number_from<int>(fields[3]).value_or(0);
        try {
          check_count(entry.cables, 1, "parallel cables");
        } catch (const InputError& problem) {
          fail(problem.what());
        }
      }
      if (fields.size() > 4) {
        const double bandwidth = number_from<double>(fields[4]).value_or(-1),
                     latency = number_from<double>(fields[5]).value_or(-1);
        if (!(bandwidth >= least_bandwidth && bandwidth <= most_bandwidth))
          fail("expected a bandwidth of 1e3 to 1e15 bytes per second");
        if (!(latency >= 0 && latency <= most_latency)) fail("expected a latency of 0 to 1 s");
        entry.cable = {bandwidth, latency, cable.shared};
      }
      cables[std::minmax(entry.switch_a, entry.switch_b)] += entry.cables;
      list.entries.push_back(entry);
    } else if (fields[0] == "route" && (fields.size() == 4 || fields.size() == 5)) {
      const auto [on, next] = two_switches(fields[1], fields[3]);
      const auto node = nodes.find(fields[2]);
      if (node == nodes.end()) fail("expected a node that a line before has named");
      if (list.switch_of[node->second] == on)
        fail("expected no route from the switch that the node is on, which it has arrived at");
      const int which = cable_between(on, next, fields.size() > 4 ? fields[4] : "0");
      const auto [other, first] = lines_of_routes.emplace(std::pair(on, node->second), line);
      if (!first)
        fail("expected one route from a switch to a node; line " + std::to_string(other->second) + " has another");
      list.forwards.push_back({on, node->second, next, which});
    } else if (fields[0] == "rail" && (fields.size() == 3 || fields.size() == 4)) {
      const auto [on, next] = two_switches(fields[1], fields[2]);
      list.rails.push_back({on, next, cable_between(on, next, fields.size() > 3 ? fields[3] : "0")});
    } else {
      fail(
          "expected node,NAME,SWITCH or cable,SWITCH,SWITCH[,COUNT[,BANDWIDTH_BYTES_PER_SECOND,LATENCY_SECONDS]] or "
          "route,SWITCH,NODE,NEXT_SWITCH[,CABLE] or rail,STAND_IN,NEXT_SWITCH[,CABLE]");
    }
  }
  if (list.switch_of.empty()) line = std::max(line, 1), fail("expected at least one line node,NAME,SWITCH");
  return list;
}

}  // namespace tutti
