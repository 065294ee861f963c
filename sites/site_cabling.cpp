#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "sites/host_list.hpp"
#include "sites/link_rate.hpp"
#include "sites/options_beside_files.hpp"
#include "sites/sources.hpp"

namespace tutti {
namespace {

std::vector<double> host_rates(const SiteRequest& request, const Sources& sources) {
  std::vector<double> rates;
  for (const AdapterPort& port : sources.ports) rates.push_back(port.bytes_per_second);
  if (rates.empty() && request.nic_rate) rates.assign(request.nics.value_or(1), *request.nic_rate);
  if (rates.empty())
    for (const PairMatrix& matrix : sources.matrices)
      if (matrix.quantity == PairMatrix::Quantity::bandwidth) rates.push_back(best_pair_rate(matrix));
  return rates;
}

/// What says them.
std::string source_of_host_rates(const SiteRequest& request, const Sources& sources) {
  if (!sources.ports.empty()) return "read on a node: " + std::filesystem::path(sources.ports_file).filename().string();
  return request.nic_rate ? "given: --nic-rate" : "measured: a matrix of bandwidths";
}

constexpr const char* kNoNicRate =
    "no rate of a node's ports: give --from ibstat=FILE or ethtool=FILE (of one node), or --nic-rate 100Gb/s";

[[noreturn]] void refuse(const std::vector<std::string>& missing) {
  std::string text;
  for (const std::string& one : missing) text += (text.empty() ? "" : "; ") + one;
  throw InputError("missing: " + text);
}

Cabling of_tree(const SiteRequest& request, const Sources& sources) {
  std::vector<std::string> missing;
  const std::vector<double> rates = host_rates(request, sources);
  if (rates.empty()) missing.push_back(kNoNicRate);
  const int levels = levels_of(*sources.tree);
  const int given = static_cast<int>(request.global_rates.size());
  if (given < levels)
    missing.push_back(
        fmt::format("no bandwidth between {}: Slurm's topology says no cables: give --from ibnetdiscover=FILE, or "
                    "measure with osu_mbw_mr between "
                    "the nodes of two leaves and give --global-rate {} (of all cables from a switch to those above)",
                    given == 0 ? "leaves" : fmt::format("switches of level {}", given),
                    levels == 1 ? "400Gb/s" : fmt::format("R1,…,R{}, lowest level first", levels)));
  if (given > levels && levels == 0)
    throw InputError(
        fmt::format("--global-rate: {}, expected none: no switch of {} is above another (a line "
                    "SwitchName=top Switches=… has one)",
                    counted(static_cast<std::uint64_t>(given), "rate"), sources.tree->file));
  if (given > levels)
    throw InputError(
        fmt::format("--global-rate: {} rates, expected {}, one a level of switches below the highest", given, levels));
  if (!missing.empty()) refuse(missing);
  Cabling cabling = cabling_of(*sources.tree, request.global_rates, rates);
  cabling.notes.push_back(
      fmt::format("{}: no cables in it: all from a switch to one above are taken as one", cabling.source));
  return cabling;
}

Cabling of_hosts(const SiteRequest& request, const Sources& sources) {
  std::vector<std::string> missing{
      "no switches and cables: give --from ibnetdiscover=FILE (run as root on a node of the fabric) or "
      "slurm=topology.conf"};
  if (host_rates(request, sources).empty()) missing.push_back(kNoNicRate);
  if (sources.node && sources.hosts.empty() && sources.nodes.empty())
    missing.push_back("or, for that node alone: tutti calibrate --node " + sources.node_file + " -o " +
                      request.output.string());
  refuse(missing);
}

void fill_rates(Cabling& cabling, const SiteRequest& request, const Sources& sources, std::vector<std::string>& found) {
  const std::vector<double> rates = host_rates(request, sources);
  std::vector<std::string> missing;
  std::size_t ports = 0, filled = 0;
  for (Cabling::Host& host : cabling.hosts)
    for (Cabling::Port& port : host.ports) {
      ++ports;
      if (port.bytes_per_second == 0 && !rates.empty()) port.bytes_per_second = rates.front(), ++filled;
    }
  if (filled > 0) cabling.ports_filled = {source_of_host_rates(request, sources), filled == ports};
  const auto unknown = [](auto& all) {
    return std::any_of(all.begin(), all.end(), [](auto& one) { return one.bytes_per_second == 0; });
  };
  if (std::any_of(cabling.hosts.begin(), cabling.hosts.end(),
                  [&](const Cabling::Host& host) { return unknown(host.ports); }))
    missing.push_back(kNoNicRate);
  if (unknown(cabling.cables)) {
    if (request.global_rates.size() == 1) {
      cabling.cables_filled = {"given: --global-rate", true};
      for (Cabling::Cable& cable : cabling.cables)
        if (cable.bytes_per_second == 0)
          cable.bytes_per_second = request.global_rates[0];
        else
          cabling.cables_filled.all = false;
    } else {
      missing.push_back(fmt::format(
          "{}: no rate of some cables between switches: give --global-rate 100Gb/s, of each of these", cabling.source));
    }
  } else if (!sources.listings.empty()) {
    compare_given_cables(request, cabling, found);
  }
  if (!missing.empty()) refuse(missing);
}

void note_other_ports(const Sources& sources, std::vector<std::string>& notes) {
  if (sources.other_ports.empty()) return;
  std::string names;
  for (const AdapterPort& port : sources.other_ports)
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", port.name, rate_text(port.bytes_per_second));
  notes.push_back(fmt::format("{}: {} left out, {}: {}", sources.ports_file,
                              counted(static_cast<std::uint64_t>(sources.other_ports.size()), "port"),
                              sources.listings.empty() ? "not of the fastest kind" : "on Ethernet", names));
}

}  // namespace

Cabling site_cabling(const SiteRequest& request, const Sources& sources, std::vector<std::string>& found) {
  if (sources.listings.empty() && !sources.tree) return of_hosts(request, sources);
  Cabling cabling = sources.listings.empty() ? of_tree(request, sources) : cabling_of(sources.listings, sources.names);
  found.insert(found.end(), cabling.faults.begin(), cabling.faults.end());
  std::set<std::string> in_fabric;
  for (const Cabling::Host& host : cabling.hosts) in_fabric.insert(host.name);
  if (!sources.listings.empty() && sources.tree) {
    std::vector<std::string> nodes;
    for (const SwitchTree::Switch& one : sources.tree->switches)
      nodes.insert(nodes.end(), one.nodes.begin(), one.nodes.end());
    keep_hosts(cabling, nodes, sources.tree->file, in_fabric);
    if (!sources.tree->fault.empty()) found.push_back(sources.tree->fault);
    for (std::string& one : contradictions(cabling, *sources.tree))
      found.push_back(std::move(one) + "; taken is " + cabling.source);
  }
  if (!sources.nodes.empty()) {
    std::vector<std::string> names;
    for (const SlurmNode& node : sources.nodes) names.push_back(node.name);
    keep_hosts(cabling, names, sources.nodes_file, in_fabric);
  }
  if (!sources.hosts.empty()) keep_hosts(cabling, sources.hosts, sources.hosts_file, in_fabric);
  if (sources.tree) cabling.notes.insert(cabling.notes.end(), sources.tree->notes.begin(), sources.tree->notes.end());
  note_other_ports(sources, cabling.notes);
  fill_rates(cabling, request, sources, found);
  const bool is_of_scheduler = sources.listings.empty();
  keep_connected(cabling, is_of_scheduler ? sources.tree->file : sources.listings.front().file, is_of_scheduler);
  compare_given_ports(request, sources, cabling, found);
  if (!sources.ports.empty() && !sources.listings.empty()) {
    std::vector<double> seen = host_rates({}, sources);
    std::sort(seen.rbegin(), seen.rend());
    const auto text = [](const std::vector<double>& rates) {
      std::string all;
      for (const double rate : rates) all += (all.empty() ? "" : ", ") + rate_text(rate);
      return all;
    };
    const std::vector<double> listed = common_ports(cabling);
    const bool same = std::equal(seen.begin(), seen.end(), listed.begin(), listed.end(),
                                 [](double a, double b) { return a > 0.97 * b && b > 0.97 * a; });
    if (!same)
      found.push_back(fmt::format("{}: ports of {}, but most hosts have ports of {} by {}; taken is {}",
                                  sources.ports_file, text(seen), text(listed), cabling.source, cabling.source));
  }
  return cabling;
}

}  // namespace tutti
