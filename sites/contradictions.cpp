#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "sites/cabling.hpp"
#include "sites/host_list.hpp"

namespace tutti {
namespace {

/// Of these hosts, those that share a switch, be it by way of others; the largest part first.
std::vector<std::vector<std::string>> connected_hosts(const std::vector<const Cabling::Host*>& hosts) {
  std::vector<std::size_t> part(hosts.size());
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](std::size_t one) {
    while (part[one] != one) one = part[one] = part[part[one]];
    return one;
  };
  std::map<int, std::size_t> first_on;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    for (const Cabling::Port& port : hosts[i]->ports)
      part[root(i)] = root(first_on.try_emplace(port.on_switch, i).first->second);
  std::map<std::size_t, std::vector<std::string>> by_root;
  for (std::size_t i = 0; i < hosts.size(); ++i) by_root[root(i)].push_back(hosts[i]->name);
  std::vector<std::vector<std::string>> parts;
  parts.reserve(by_root.size());
  for (auto& [at, names] : by_root) parts.push_back(std::move(names));
  std::stable_sort(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
  return parts;
}

std::string switches_of(const Cabling& cabling, const std::vector<std::string>& hosts) {
  std::set<std::string> names;
  for (const Cabling::Host& host : cabling.hosts)
    if (std::find(hosts.begin(), hosts.end(), host.name) != hosts.end())
      for (const Cabling::Port& port : host.ports) names.insert(cabling.switches[port.on_switch]);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " and ") + name;
  return text;
}

/// Which of the parts, the largest first, are on the switch that the tree means: the one of its name, else that of
/// most. Nothing where as many are elsewhere.
std::optional<std::size_t> part_of_the_switch(const Cabling& cabling,
                                              const std::vector<std::vector<std::string>>& parts,
                                              const std::string& name) {
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports)
      if (cabling.switches[port.on_switch] == name)
        for (std::size_t i = 0; i < parts.size(); ++i)
          if (std::find(parts[i].begin(), parts[i].end(), host.name) != parts[i].end()) return i;
  if (parts.size() > 1 && parts[0].size() == parts[1].size()) return std::nullopt;
  return 0;
}

/// "n[1-2], but by fabric.txt n1 is on leaf1, n2 on leaf2".
std::string each_on_its_switch(const Cabling& cabling, const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::string> all;
  std::string places;
  for (const std::vector<std::string>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    const char* verb = !places.empty() ? "" : part.size() == 1 ? "is " : "are ";
    places +=
        fmt::format("{}{} {}on {}", places.empty() ? "" : ", ", compact_hosts(part), verb, switches_of(cabling, part));
  }
  return fmt::format("{}, but by {} {}", compact_hosts(all), cabling.source, places);
}

}  // namespace

std::vector<std::string> contradictions(const Cabling& cabling, const SwitchTree& tree) {
  std::map<std::string, const Cabling::Host*> hosts;
  for (const Cabling::Host& host : cabling.hosts) hosts.emplace(host.name, &host);
  std::vector<std::string> found;
  std::map<int, std::map<std::string, std::vector<std::string>>> on_switch;  // of the cabling: by the tree's, hosts
  for (const SwitchTree::Switch& one : tree.switches) {
    std::vector<const Cabling::Host*> here;
    for (const std::string& node : one.nodes)
      if (const auto host = hosts.find(short_name(node)); host != hosts.end()) {
        here.push_back(host->second);
        for (const Cabling::Port& port : host->second->ports)
          on_switch[port.on_switch][one.name].push_back(host->first);
      }
    const auto parts = connected_hosts(here);
    const std::string place = fmt::format("{}:{}: switch {} has ", tree.file, one.line, one.name);
    const std::optional<std::size_t> own = part_of_the_switch(cabling, parts, one.name);
    if (!own && parts.size() > 1) found.push_back(place + each_on_its_switch(cabling, parts));
    for (std::size_t i = 0; own && i < parts.size(); ++i)
      if (i != *own)
        found.push_back(place + fmt::format("{}, but by {} these are on {}, the others on {}", compact_hosts(parts[i]),
                                            cabling.source, switches_of(cabling, parts[i]),
                                            switches_of(cabling, parts[*own])));
  }
  for (auto& [number, by_name] : on_switch) {
    if (by_name.size() < 2) continue;
    std::string text;
    for (auto& [name, nodes] : by_name) {
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      text += fmt::format("{}{} has {}", text.empty() ? "" : ", ", name, compact_hosts(nodes));
    }
    found.push_back(
        fmt::format("{}: {} are one switch by {}, {}", tree.file, text, cabling.source, cabling.switches[number]));
  }
  return found;
}

}  // namespace tutti
