#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "base/counted.hpp"
#include "sites/cabling.hpp"
#include "sites/host_list.hpp"
#include "sites/link_rate.hpp"

namespace tutti {

int longest_way(const Cabling& cabling) {
  std::vector<std::vector<int>> next(cabling.switches.size());
  for (const Cabling::Cable& cable : cabling.cables) {
    next[cable.switch_a].push_back(cable.switch_b);
    next[cable.switch_b].push_back(cable.switch_a);
  }
  std::vector<char> has_host(next.size(), 0);
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports) has_host[port.on_switch] = 1;
  int longest = 0;
  for (std::size_t from = 0; from < next.size(); ++from) {
    if (!has_host[from]) continue;
    std::vector<int> hops(next.size(), -1);
    hops[from] = 0;
    std::queue<int> waiting;
    waiting.push(static_cast<int>(from));
    for (; !waiting.empty(); waiting.pop())
      for (const int other : next[waiting.front()])
        if (hops[other] < 0) {
          hops[other] = hops[waiting.front()] + 1;
          if (has_host[other]) longest = std::max(longest, hops[other]);
          waiting.push(other);
        }
  }
  return longest;
}

namespace {

class CableText {
 public:
  CableText(Cabling& cabling, const std::vector<double>& ports, double latency_seconds)
      : cabling_(cabling), ports_(ports), latency_seconds_(latency_seconds) {}

  std::string write(std::vector<std::string>& nodes) {
    for (const Cabling::Host& host : cabling_.hosts) place(host);
    write_nodes(nodes);
    write_stand_ins();
    write_cables();
    note_other_rates();
    note_stand_ins();
    return std::move(text_);
  }

 private:
  /// Ports by the switch they are on, and how many hosts have just these.
  struct StandIn {
    std::string name;
    std::map<int, std::vector<double>> ports;
    int hosts = 0;
  };

  /// At least as many ports as a node of the machine has, each as fast.
  bool is_usual(const Cabling::Host& host) const {
    std::vector<double> rates;
    for (const Cabling::Port& port : host.ports) rates.push_back(port.bytes_per_second);
    std::sort(rates.rbegin(), rates.rend());
    if (rates.size() < ports_.size()) return false;
    more_ports_ += rates.size() > ports_.size();
    return std::equal(ports_.begin(), ports_.end(), rates.begin(),
                      [](double here, double there) { return there >= here; });
  }

  void place(const Cabling::Host& host) {
    std::map<int, std::vector<double>> ports;
    for (const Cabling::Port& port : host.ports) ports[port.on_switch].push_back(port.bytes_per_second);
    for (auto& [on_switch, rates] : ports) std::sort(rates.begin(), rates.end());
    const bool usual = is_usual(host);
    if (usual && ports.size() == 1) {
      places_[cabling_.switches[ports.begin()->first]].push_back(host.name);
      return;
    }
    std::string name = fmt::format("ports of {}", host.name);
    if (usual) {
      const auto [found, is_new] = rails_.try_emplace(ports, fmt::format("rails {}", rails_.size() + 1));
      name = found->second;
    } else {
      slower_.insert(name);
    }
    const auto [found, is_new] = stand_in_of_.try_emplace(name, stand_ins_.size());
    if (is_new) stand_ins_.push_back({name, ports, 0});
    ++stand_ins_[found->second].hosts;
    places_[name].push_back(host.name);
  }

  void write_nodes(std::vector<std::string>& nodes) {
    std::vector<std::pair<std::string, std::vector<std::string>>> places(places_.begin(), places_.end());
    for (auto& [name, hosts] : places) std::sort(hosts.begin(), hosts.end(), natural_less);
    // Hosts that are not like most come last: the machine's first nodes are what a job of few nodes gets.
    std::sort(places.begin(), places.end(), [&](auto& a, auto& b) {
      const bool odd_a = slower_.contains(a.first), odd_b = slower_.contains(b.first);
      return odd_a != odd_b ? odd_b : natural_less(a.second.front(), b.second.front());
    });
    for (const auto& [place, hosts] : places)
      for (const std::string& host : hosts) {
        text_ += fmt::format("node,{},{}\n", host, place);
        nodes.push_back(host);
      }
  }

  void cable(const std::string& from, const std::string& to, int count, double bytes_per_second,
             double latency_seconds) {
    text_ += fmt::format("cable,{},{},{},{:.9g},{:.9g}\n", from, to, count, bytes_per_second, latency_seconds);
  }

  /// Where a stand-in leads to several switches, each adapter's rail is said: the fastest first, as nodes have them.
  void write_stand_ins() {
    for (const StandIn& one : stand_ins_) {
      std::vector<std::tuple<double, int, int>> rails;  // bandwidth downwards, switch, cable
      for (const auto& [on_switch, rates] : one.ports) {
        double all = 0;
        for (const double rate : rates) all += rate * one.hosts;
        const bool alone = one.hosts == 1 && rates.size() > 1 && rates.front() == rates.back();
        // The nodes' own adapters limit them: what many share need not be so many cables.
        cable(one.name, cabling_.switches[on_switch], alone ? static_cast<int>(rates.size()) : 1,
              alone ? rates.front() : all, 0);
        for (std::size_t i = 0; i < rates.size(); ++i)
          rails.emplace_back(-rates[i], on_switch, alone ? static_cast<int>(i) : 0);
      }
      if (one.ports.size() == 1) continue;
      std::sort(rails.begin(), rails.end());
      for (const auto& [rate, on_switch, number] : rails)
        text_ += fmt::format("rail,{},{},{}\n", one.name, cabling_.switches[on_switch], number);
    }
  }

  void write_cables() {
    std::map<std::tuple<int, int, double>, int> counts;
    for (const Cabling::Cable& one : cabling_.cables) {
      const auto [a, b] = std::minmax(one.switch_a, one.switch_b);
      ++counts[{a, b, one.bytes_per_second}];
    }
    for (const auto& [ends, count] : counts)
      cable(cabling_.switches[std::get<0>(ends)], cabling_.switches[std::get<1>(ends)], count, std::get<2>(ends),
            latency_seconds_);
  }

  /// Faster ports than most hosts have are counted as theirs; slower ones keep their rate.
  void note_other_rates() {
    std::map<std::pair<double, double>, std::vector<std::string>> others;  // hosts by a port's rate and that of most
    for (const Cabling::Host& host : cabling_.hosts) {
      std::vector<double> rates;
      for (const Cabling::Port& port : host.ports) rates.push_back(port.bytes_per_second);
      std::sort(rates.rbegin(), rates.rend());
      for (std::size_t i = 0; i < std::min(rates.size(), ports_.size()); ++i)
        if (rates[i] != ports_[i]) others[{rates[i], ports_[i]}].push_back(host.name);
    }
    for (auto& [key, names] : others) {
      const auto [rate, usual] = key;
      const std::size_t ports = names.size();
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      cabling_.notes.push_back(fmt::format(
          "{}: {} at {}, {} {}: {}", cabling_.source, counted(static_cast<std::uint64_t>(ports), "host port"),
          rate_text(rate), rate > usual ? "counted as" : "others", rate_text(usual), compact_hosts(names)));
    }
  }

  void note_stand_ins() {
    if (!rails_.empty())
      cabling_.notes.push_back(
          fmt::format("{}: hosts with ports on several switches hang on {} stand-ins ('rails'), which each "
                      "adapter leaves by its own switch; those on the same switches pass one among themselves",
                      cabling_.source, rails_.size()));
    if (!slower_.empty())
      cabling_.notes.push_back(
          fmt::format("{}: {} hosts with fewer or slower ports than most hang on a stand-in each, as wide as their own",
                      cabling_.source, slower_.size()));
    if (more_ports_ > 0)
      cabling_.notes.push_back(
          fmt::format("{}: {} hosts have more ports than most: counted as these", cabling_.source, more_ports_));
  }

  Cabling& cabling_;
  const std::vector<double>& ports_;
  const double latency_seconds_;
  std::string text_;
  std::map<std::string, std::vector<std::string>> places_;  // hosts by what they hang on
  std::map<std::map<int, std::vector<double>>, std::string> rails_;
  std::vector<StandIn> stand_ins_;
  std::map<std::string, std::size_t> stand_in_of_;
  std::set<std::string> slower_;  // stand-ins of hosts that are not like most
  mutable int more_ports_ = 0;
};

}  // namespace

std::string cable_text(Cabling& cabling, const std::vector<double>& ports, double latency_seconds,
                       std::vector<std::string>& nodes) {
  return CableText(cabling, ports, latency_seconds).write(nodes);
}

}  // namespace tutti
