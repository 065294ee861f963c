#include "sites/sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "calibration/hwloc_node.hpp"
#include "sites/host_list.hpp"

namespace tutti {
namespace {

std::string kinds_text() {
  std::string text;
  for (const SourceKind& kind : source_kinds()) text += (text.empty() ? "" : ", ") + kind.name;
  return text;
}

}  // namespace

const std::vector<SourceKind>& source_kinds() {
  static const std::vector<SourceKind> kinds{
      {"ibnetdiscover", "the fabric's cables, with or without -p"},
      {"names", "opensm's node-name-map, for adapters that do not say their host"},
      {"lfts", "the switches' forwarding tables, as dump_lfts prints them, beside ibnetdiscover"},
      {"slurm", "topology.conf, topology.yaml, or scontrol show topology"},
      {"nodes", "scontrol show nodes"},
      {"hosts", "host names, node[001-064]: the machine has these alone"},
      {"hwloc", "a node, as lstopo FILE.xml writes it"},
      {"ibstat", "the ports of a node"},
      {"ethtool", "the same on Ethernet"},
      {"matrix", "latencies or bandwidths between all pairs of hosts"},
      {"osu", "OSU's latency and bandwidth; [DISTANCE=]FILE as in calibrate"},
      {"imb", "IMB's PingPong; [DISTANCE=]FILE"},
      {"csv", "measurements as CSV"}};
  return kinds;
}

std::pair<std::string, std::string> parse_source(const std::string& text) {
  const std::size_t sign = text.find_first_of("=:");
  const std::string kind = text.substr(0, sign);
  const auto& kinds = source_kinds();
  if (sign == std::string::npos || sign + 1 == text.size() ||
      std::none_of(kinds.begin(), kinds.end(), [&](const SourceKind& one) { return one.name == kind; })) {
    std::vector<std::string> names;
    for (const SourceKind& one : kinds) names.push_back(one.name);
    throw InputError(
        fmt::format("--from {}: expected KIND=FILE of one of {}{}", text, kinds_text(), did_you_mean(kind, names)));
  }
  return {kind, text.substr(sign + 1)};
}

bool knows_ports(const SiteRequest& request, const Sources& sources) {
  return !sources.listings.empty() || !sources.ports.empty() || request.nic_rate;
}

std::string source_of_rates(const Cabling& cabling, const Cabling::Filled& filled) {
  if (filled.all) return filled.by;
  return "ibnetdiscover's " + cabling.source + (filled.by.empty() ? "" : ", what it does not say: " + filled.by);
}

std::string source_of_ports(const SiteRequest& request, const Sources& sources, const Cabling& cabling) {
  if (!knows_ports(request, sources)) return "";
  const bool is_filled = cabling.ports_filled.all && (!sources.ports.empty() || request.nic_rate);
  return !sources.listings.empty() && !is_filled ? cabling.source
         : !sources.ports.empty()                ? sources.ports_file
                                                 : "--nic-rate";
}

Sources read_sources(const SiteRequest& request) {
  Sources sources;
  const auto once = [](const std::string& kind, const std::string& file, std::string& slot) {
    if (!slot.empty()) throw InputError(fmt::format("{}:1: expected one file of {}, {} is another", file, kind, slot));
    slot = file;
  };
  std::string tree_file, routes_file;
  for (const auto& [kind, file] : request.from) {
    if (kind == "ibnetdiscover") {
      sources.listings.push_back(read_ibnetdiscover(file));
    } else if (kind == "names") {
      sources.names.merge(read_node_names(file));
    } else if (kind == "lfts") {
      once(kind, file, routes_file);
      sources.routes = read_forwarding_tables(file);
    } else if (kind == "slurm") {
      once(kind, file, tree_file);
      sources.tree = read_slurm_topology(file);
    } else if (kind == "hosts") {
      once(kind, file, sources.hosts_file);
      sources.hosts = read_hosts(file);
    } else if (kind == "nodes") {
      once(kind, file, sources.nodes_file);
      sources.nodes = read_slurm_nodes(file);
    } else if (kind == "ibstat" || kind == "ethtool") {
      once("ibstat or ethtool", file, sources.ports_file);
      sources.ports = kind == "ibstat" ? read_ibstat(file) : read_ethtool(file);
      std::erase_if(sources.ports, [](const AdapterPort& port) { return port.bytes_per_second == 0; });
      if (sources.ports.empty())
        throw InputError(fmt::format("{}:1: every port is down, expected a node with a network", file));
    } else if (kind == "hwloc") {
      once(kind, file, sources.node_file);
      sources.node = read_hwloc_node(file);
    } else if (kind == "matrix") {
      PairMatrix matrix = read_pair_matrix(file);
      for (const PairMatrix& other : sources.matrices)
        if (other.quantity == matrix.quantity)
          throw InputError(fmt::format("{}:1: expected one matrix of latencies and one of bandwidths, {} is such", file,
                                       other.file));
      sources.matrices.push_back(std::move(matrix));
    } else {
      sources.measurements.push_back({kind, file});
    }
  }
  if (!sources.ports.empty()) sources.other_ports = leave_out_other_ports(sources.ports, !sources.listings.empty());
  if (sources.routes && sources.listings.empty())
    throw InputError(routes_file + ":1: expected --from ibnetdiscover=FILE beside it, which says where the ports lead");
  return sources;
}

}  // namespace tutti
