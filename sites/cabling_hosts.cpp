#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "sites/cabling.hpp"
#include "sites/host_list.hpp"

namespace tutti {
namespace {

/// Of the switches, by cables between them: for each the number of its part.
std::vector<int> part_of_each(const Cabling& cabling) {
  std::vector<int> part(cabling.switches.size());
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](int one) {
    while (part[one] != one) one = part[one] = part[part[one]];
    return one;
  };
  for (const Cabling::Cable& cable : cabling.cables) part[root(cable.switch_a)] = root(cable.switch_b);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = root(static_cast<int>(i));
  return part;
}

/// Where as many hosts are in a part of their own, none of the parts is the machine.
void expect_most(const Cabling& cabling, const std::string& file, bool is_of_scheduler, const std::vector<int>& part,
                 int most) {
  std::map<int, std::vector<std::string>> names;  // of hosts that are in no other part
  std::map<int, std::string> first_switch;
  for (const Cabling::Host& host : cabling.hosts) {
    const bool reached = std::any_of(host.ports.begin(), host.ports.end(),
                                     [&](const Cabling::Port& port) { return part[port.on_switch] == most; });
    const Cabling::Port& port = host.ports.front();
    const int own = reached ? most : part[port.on_switch];
    names[own].push_back(host.name);
    first_switch.try_emplace(own, cabling.switches[port.on_switch]);
  }
  for (const auto& [other, hosts] : names)
    if (other != most && hosts.size() >= names[most].size())
      throw InputError(fmt::format(
          "{}:1: no cables join {} ({}, on {} first) with {} ({}, on {} first), expected a way between them{}, or "
          "--from hosts=FILE with the hosts of one side",
          file, counted(names[most].size(), "host"), compact_hosts(names[most]), first_switch[most],
          counted(hosts.size(), "host"), compact_hosts(hosts), first_switch[other],
          is_of_scheduler ? fmt::format(" (a line SwitchName=top Switches={},{}, and --global-rate with the rate of "
                                        "all cables up from each)",
                                        first_switch[most], first_switch[other])
                          : ""));
}

std::string examples(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i) text += (i ? ", " : "") + names[i];
  return text;
}

}  // namespace

void keep_hosts(Cabling& cabling, const std::vector<std::string>& kept, const std::string& source,
                const std::set<std::string>& in_fabric) {
  std::set<std::string> wanted, there;
  for (const std::string& name : kept) wanted.insert(short_name(name));
  std::vector<std::string> left_out, known;
  for (const Cabling::Host& host : cabling.hosts) {
    known.push_back(host.name);
    if (wanted.contains(host.name))
      there.insert(host.name);
    else
      left_out.push_back(host.name);
  }
  std::vector<std::string> left_out_before;
  std::set_intersection(wanted.begin(), wanted.end(), in_fabric.begin(), in_fabric.end(),
                        std::back_inserter(left_out_before));
  if (there.empty() && !left_out_before.empty())
    throw InputError(
        fmt::format("{}:1: its hosts of {} ({}, …) are none of those that the other files leave ({}, …): "
                    "expected names in common",
                    source, cabling.source, examples(left_out_before), examples(known)));
  if (there.empty())
    throw InputError(
        fmt::format("{}:1: no host of {} ({}, …) is in it ({}, …): expected names in common; --from names=FILE "
                    "(opensm's node-name-map) gives adapters their hosts' names",
                    source, cabling.source, examples(known), examples(kept)));
  std::erase_if(cabling.hosts, [&](const Cabling::Host& host) { return !wanted.contains(host.name); });
  std::vector<std::string> missing;
  std::set_difference(wanted.begin(), wanted.end(), in_fabric.begin(), in_fabric.end(), std::back_inserter(missing));
  if (!left_out.empty())
    cabling.notes.push_back(fmt::format("{}: {} hosts that {} does not name left out: {}", cabling.source,
                                        left_out.size(), source, compact_hosts(left_out)));
  if (!missing.empty())
    cabling.notes.push_back(fmt::format("{}: {} hosts that {} does not have left out: {}", source, missing.size(),
                                        cabling.source, compact_hosts(missing)));
}

void keep_connected(Cabling& cabling, const std::string& file, bool is_of_scheduler) {
  const std::vector<int> part = part_of_each(cabling);
  std::map<int, int> hosts_in;
  for (const Cabling::Host& host : cabling.hosts) {
    std::set<int> parts;
    for (const Cabling::Port& port : host.ports) parts.insert(part[port.on_switch]);
    for (const int one : parts) ++hosts_in[one];
  }
  const int most =
      std::max_element(hosts_in.begin(), hosts_in.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
  std::vector<std::string> left_out;
  expect_most(cabling, file, is_of_scheduler, part, most);
  std::erase_if(cabling.hosts, [&](const Cabling::Host& host) {
    const bool reached = std::any_of(host.ports.begin(), host.ports.end(),
                                     [&](const Cabling::Port& port) { return part[port.on_switch] == most; });
    if (!reached) left_out.push_back(host.name);
    return !reached;
  });
  std::set<int> parts;
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports) parts.insert(part[port.on_switch]);
  std::erase_if(cabling.cables, [&](const Cabling::Cable& cable) { return !parts.contains(part[cable.switch_a]); });
  if (!left_out.empty())
    cabling.notes.push_back(fmt::format("{}: {} that no cables join with most others left out: {}", cabling.source,
                                        counted(left_out.size(), "host"), compact_hosts(left_out)));
}

std::vector<double> common_ports(const Cabling& cabling) {
  std::map<std::vector<double>, int> alike;
  for (const Cabling::Host& host : cabling.hosts) {
    std::vector<double> rates;
    for (const Cabling::Port& port : host.ports) rates.push_back(port.bytes_per_second);
    std::sort(rates.rbegin(), rates.rend());
    ++alike[rates];
  }
  // Of as many the faster ones: slower hosts keep their own rate (cable_text), faster ones do not.
  const auto is_rarer = [](const auto& a, const auto& b) {
    return std::tie(a.second, a.first) < std::tie(b.second, b.first);
  };
  return std::max_element(alike.begin(), alike.end(), is_rarer)->first;
}

}  // namespace tutti
