#include "sites/forwarding_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "calibration/input_text.hpp"
#include "sites/fabric_builder.hpp"
#include "sites/host_list.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

class Reader {
 public:
  explicit Reader(const InputText& text) : text_(text) {}

  ForwardingTables read() {
    ForwardingTables all{text_.file(), {}};
    for (line_ = 1; line_ <= text_.lines(); ++line_) {
      const std::string_view line = trim(text_.line(line_));
      if (line.starts_with("Unicast lids"))
        all.tables.push_back(new_table(line, all));
      else if (line.starts_with("0x"))
        add(line, all);
      else if (!is_heading(line))
        throw text_.error(
            line_, "expected what dump_lfts prints: Unicast lids … of switch … guid 0x…, or LID PORT : (…: 'NAME')");
    }
    if (all.tables.empty()) throw text_.error(1, "no table in all of the file, expected what dump_lfts prints");
    return all;
  }

 private:
  static bool is_heading(std::string_view line) {
    return line.empty() || line.front() == '#' || line.starts_with("Lid ") || line.starts_with("Port ") ||
           line.ends_with("lids dumped") || line.ends_with("lid dumped") ||
           line.starts_with("*** WARNING");  // that dump_fts has replaced it, in the same form
  }

  ForwardingTables::Table new_table(std::string_view line, const ForwardingTables& all) const {
    const std::vector<std::string_view> words = split_words(line);
    const auto guid = std::find(words.begin(), words.end(), "guid");
    if (guid == words.end() || guid + 1 == words.end() || guid_of(std::string(guid[1])).empty())
      throw text_.error(line_, "expected a switch's guid: Unicast lids [0x0-0x51] of switch Lid 81 guid 0x…");
    const std::string id = guid_of(std::string(guid[1]));
    for (const ForwardingTables::Table& other : all.tables)
      if (other.guid == id)
        throw text_.error(line_,
                          fmt::format("expected a table of each switch once; line {} has this one's", other.line));
    return {id, {}, line_};
  }

  /// 0x0003 019 : (Channel Adapter portguid 0x0002c9030009f0d7: 'node12 HCA-1')
  void add(std::string_view line, ForwardingTables& all) const {
    const std::vector<std::string_view> words = split_words(line);
    const bool is_entry = words.size() > 4 && words[2] == ":" && words[3].starts_with("(") && line.ends_with(")");
    const int lid = number_from<int>(words[0].substr(2), 16).value_or(-1),
              port = words.size() > 1 ? number_from<int>(words[1]).value_or(-1) : -1;
    if (!is_entry || lid < 1 || port < 0 || port > 254)
      throw text_.error(line_, "expected LID PORT : (Channel Adapter portguid 0x…: 'NAME')");
    if (all.tables.empty()) throw text_.error(line_, "expected Unicast lids … of switch … before its entries");
    if (words[3] != "(Channel") return;  // to a switch or a router: no host's
    const std::string name(between(line, '\'').value_or(""));
    if (name.empty()) throw text_.error(line_, "expected the adapter's name in quotes");
    // Written "portguid", or "portguid:", and ended by ':'.
    const std::string guid = words.size() > 6 ? guid_of(std::string(words[6].substr(0, words[6].find(':')))) : "";
    all.tables.back().entries.push_back({name, guid, port, line_});
  }

  const InputText& text_;
  int line_ = 0;
};

/// Where a switch's port leads: to which switch, and which of the cables between the two it is in the cable list.
using Ports = std::map<std::pair<int, int>, std::pair<int, int>>;

Ports ports_of(const Cabling& cabling) {
  std::vector<std::tuple<int, int, double, int, const Cabling::Cable*>> sorted;  // as cable_text writes them
  for (const Cabling::Cable& cable : cabling.cables) {
    const bool turned = cable.switch_b < cable.switch_a;
    sorted.emplace_back(std::min(cable.switch_a, cable.switch_b), std::max(cable.switch_a, cable.switch_b),
                        cable.bytes_per_second, turned ? cable.port_b : cable.port_a, &cable);
  }
  std::sort(sorted.begin(), sorted.end());
  Ports ports;
  std::pair<int, int> last{-1, -1};
  int number = 0;
  for (const auto& [low, high, rate, port, cable] : sorted) {
    number = std::pair(low, high) == last ? number + 1 : 0;
    last = {low, high};
    ports[{cable->switch_a, cable->port_a}] = {cable->switch_b, number};
    ports[{cable->switch_b, cable->port_b}] = {cable->switch_a, number};
  }
  return ports;
}

using Hosts = std::map<std::string, const Cabling::Host*>;

using HostEntry = std::pair<const Cabling::Host*, const ForwardingTables::Entry*>;

/// Null where the entry is of no host of the cabling.
const Cabling::Host* host_of(const ForwardingTables::Entry& entry, const Hosts& by_name, const Hosts& by_port) {
  if (const auto known = by_port.find(entry.guid); known != by_port.end()) return known->second;
  const auto named = by_name.find(short_name(entry.name.substr(0, entry.name.find(' '))));
  return named == by_name.end() ? nullptr : named->second;
}

/// What decides the way to each host, in the order of their names.
std::vector<HostEntry> entries_of_hosts(const ForwardingTables::Table& table, const Hosts& by_name,
                                        const Hosts& by_port) {
  std::map<std::string, HostEntry> found;
  for (const ForwardingTables::Entry& entry : table.entries) {
    const Cabling::Host* host = host_of(entry, by_name, by_port);
    if (host == nullptr) continue;
    const auto [first, is_new] = found.try_emplace(host->name, host, &entry);
    if (!is_new && entry.name < first->second.second->name) first->second.second = &entry;
  }
  std::vector<HostEntry> entries;
  entries.reserve(found.size());
  for (const auto& [name, entry] : found) entries.push_back(entry);
  return entries;
}

/// A host to whose adapters a switch that it does not hang on sends by different ports: nodes have one way, by which
/// half of what is sent would go over the other half's cables. Null where there is none.
const Cabling::Host* host_of_several_ways(const Cabling& cabling, const ForwardingTables& tables, const Hosts& by_name,
                                          const Hosts& by_port) {
  for (const ForwardingTables::Table& table : tables.tables) {
    std::map<const Cabling::Host*, const ForwardingTables::Entry*> first;
    for (const ForwardingTables::Entry& entry : table.entries) {
      const Cabling::Host* host = host_of(entry, by_name, by_port);
      if (host == nullptr) continue;
      const std::size_t on_switch = static_cast<std::size_t>(host->ports.front().on_switch);
      if (on_switch < cabling.guids.size() && cabling.guids[on_switch] == table.guid) continue;
      const ForwardingTables::Entry& other = *first.try_emplace(host, &entry).first->second;
      // An adapter with several LIDs has several ways, too, of which the first is taken.
      const bool is_same_adapter = entry.guid == other.guid && entry.name == other.name;
      if (entry.port != other.port && !is_same_adapter) return host;
    }
  }
  return nullptr;
}

/// A switch sends to a host that hangs on it by the host's own port, or never gets there.
void expect_delivered(const Cabling& cabling, const ForwardingTables& tables, int here, const Cabling::Host& host,
                      const ForwardingTables::Entry& entry) {
  std::string ports;
  for (const Cabling::Port& port : host.ports) {
    if (port.switch_port == entry.port) return;
    ports += (ports.empty() ? "" : " or ") + std::to_string(port.switch_port);
  }
  throw InputError(fmt::format("{}:{}: {} sends what goes to {} out of port {}, expected {}, on which it hangs by {}",
                               tables.file, entry.line, cabling.switches[here], host.name, entry.port, ports,
                               cabling.source));
}

void expect_all_delivered(const Cabling& cabling, const ForwardingTables& tables, const ForwardingTables::Table& table,
                          int here, const std::vector<HostEntry>& entries) {
  for (const Cabling::Host& host : cabling.hosts)
    if (host.ports.front().on_switch == here &&
        std::none_of(entries.begin(), entries.end(), [&](const HostEntry& one) { return one.first == &host; }))
      throw InputError(fmt::format("{}:{}: nothing for {}, expected an entry for it, which hangs on {} by {}",
                                   tables.file, table.line, host.name, cabling.switches[here], cabling.source));
}

/// Hosts that hang on a stand-in for their ports (cable_text) are behind it, whatever they send or get.
std::string routes_of_stand_ins(const Cabling& cabling, const Hosts& hosts, const std::string& cable_list) {
  std::string text;
  const CableList list = parse_cables(cable_list, "cable list", {1e9, 0});
  for (std::size_t node = 0; node < list.nodes.size(); ++node) {
    const std::string& stand_in = list.switches[list.switch_of[node]];
    const std::string& real = cabling.switches[hosts.at(list.nodes[node])->ports.front().on_switch];
    if (stand_in == real) continue;
    text += fmt::format("route,{},{},{}\n", real, list.nodes[node], stand_in);
    for (std::size_t other = 0; other < list.nodes.size(); ++other)
      if (list.switch_of[other] != list.switch_of[node])
        text += fmt::format("route,{},{},{}\n", stand_in, list.nodes[other], real);
  }
  return text;
}

}  // namespace

ForwardingTables read_forwarding_tables(const std::filesystem::path& file) {
  return Reader(InputText::load(file, "what dump_lfts writes")).read();
}

std::string route_text(Cabling& cabling, const ForwardingTables& tables, const std::string& cable_list) {
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports)
      if (port.on_switch != host.ports.front().on_switch) {
        cabling.notes.push_back(fmt::format("{}: left out: {} has ports on several switches; ways are shortest ones",
                                            tables.file, host.name));
        return "";
      }
  Hosts hosts;
  for (const Cabling::Host& host : cabling.hosts) hosts.emplace(host.name, &host);
  Hosts by_port;
  for (const Cabling::Host& host : cabling.hosts)
    for (const std::string& guid : host.port_guids) by_port.emplace(guid, &host);
  if (const Cabling::Host* host = host_of_several_ways(cabling, tables, hosts, by_port)) {
    cabling.notes.push_back(
        fmt::format("{}: left out: they send to the adapters of {} by different ways, of which a cable list has one "
                    "for each node; ways are shortest ones",
                    tables.file, host->name));
    return "";
  }
  const Ports ports = ports_of(cabling);
  std::string text;
  std::size_t strangers = 0, taken = 0;
  for (const ForwardingTables::Table& table : tables.tables) {
    const auto known = std::find(cabling.guids.begin(), cabling.guids.end(), table.guid);
    if (known == cabling.guids.end()) {
      ++strangers;
      continue;
    }
    const int here = static_cast<int>(known - cabling.guids.begin());
    const std::vector<HostEntry> entries = entries_of_hosts(table, hosts, by_port);
    expect_all_delivered(cabling, tables, table, here, entries);
    for (const auto& [host, first] : entries) {
      const ForwardingTables::Entry& entry = *first;
      if (host->ports.front().on_switch == here) {
        expect_delivered(cabling, tables, here, *host, entry);
        continue;
      }
      const auto port = ports.find({here, entry.port});
      if (port == ports.end())
        throw InputError(fmt::format("{}:{}: port {} of {}, expected one that a cable of {} joins to another switch",
                                     tables.file, entry.line, entry.port, cabling.switches[here], cabling.source));
      text += fmt::format("route,{},{},{},{}\n", cabling.switches[here], host->name,
                          cabling.switches[port->second.first], port->second.second);
    }
    ++taken;
  }
  text += routes_of_stand_ins(cabling, hosts, cable_list);
  cabling.notes.push_back(fmt::format(
      "{}: forwarding tables of {} switches are the routes{}", tables.file, taken,
      strangers > 0 ? fmt::format("; {} of switches that {} does not have left out", strangers, cabling.source) : ""));
  return text;
}

}  // namespace tutti
