#include "sites/site_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "calibration/machine_edit.hpp"
#include "models/machine.hpp"
#include "sites/host_list.hpp"
#include "sites/link_rate.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

/// Whose invented figures stand for what no source says.
constexpr const char* kGuesses = "example-cluster";
/// A guess: switches of 2010 to 2025 take 90 to 300 ns, and 10 m of cable 50.
constexpr double kSwitchLatencySeconds = 200e-9;

/// Slurm drains nodes that have less memory than it is told, and is told less where some is kept for the system.
constexpr double kMoreMemory = 1.03, kLessMemory = 1.5;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

SiteJson::SiteJson(const SiteRequest& request, const Sources& sources, const MeasuredLevels& levels,
                   SiteMachine& result)
    : request_(request),
      sources_(sources),
      levels_(levels),
      result_(result),
      machine_(Json::parse(machine_source(request.base.empty() ? kGuesses : request.base))),
      switch_latency_seconds_(
          request.switch_latency_seconds.value_or(levels.switch_latency_seconds.value_or(kSwitchLatencySeconds))) {
  for (const char* of_another_network : {"published", "fitted", "calibration", "larger_jobs", "congestion_trees"})
    machine_.erase(of_another_network);
}

void SiteJson::compare_with_node(const NodeParts& said, const std::string& source) {
  const NodeParts& seen = *sources_.node;
  const std::string file = file_name(sources_.node_file);
  const int cores = seen.sockets * seen.domains_per_socket * seen.caches_per_domain * seen.cores_per_cache;
  if (said.cores_per_cache > 0 && said.sockets * said.cores_per_cache != cores)
    result_.contradictions.push_back(fmt::format("{}: {} cores, but {} x {} by {}; taken is {}", sources_.node_file,
                                                 cores, said.sockets, said.cores_per_cache, source, file));
  const auto memory = static_cast<double>(seen.memory_bytes), told = static_cast<double>(said.memory_bytes);
  if (memory > 0 && told > 0 && (told > kMoreMemory * memory || kLessMemory * told < memory))
    result_.contradictions.push_back(fmt::format("{}: {:.4g} GB of memory, but {:.4g} GB by scontrol's {}; taken is {}",
                                                 sources_.node_file, memory / 1e9, told / 1e9,
                                                 file_name(sources_.nodes_file), file));
}

void SiteJson::set_node() {
  NodeParts parts{0, 1, 1, 0, 0, {}, {}};
  std::string source;
  if (!sources_.nodes.empty()) {
    const CommonNode common = common_node(sources_.nodes);
    if (!common.others.empty())
      result_.notes.push_back(
          fmt::format("{}: {} nodes have other cores or memory than most, whose shape all are given: {}",
                      file_name(sources_.nodes_file), common.others.size(), compact_hosts(common.others)));
    parts.sockets = common.node.sockets, parts.cores_per_cache = common.node.cores_per_socket;
    parts.memory_bytes = common.node.memory_bytes;
    source = "scontrol's " + file_name(sources_.nodes_file);
    if (!common.node.missing.empty() && !sources_.node && !(request_.cores && common.node.cores_per_socket == 0))
      result_.guesses.push_back(
          fmt::format("{}: {} has no {}", file_name(sources_.nodes_file), common.node.name, common.node.missing));
  }
  if (request_.cores) {
    const int listed = parts.sockets * parts.cores_per_cache;
    if (listed == 0)
      parts.sockets = 1, parts.cores_per_cache = *request_.cores,
      source = "given: --cores" + (parts.memory_bytes > 0 ? "; memory: " + source : std::string());
    else if (listed != *request_.cores)
      result_.contradictions.push_back(fmt::format("--cores: {}, but {} x {} by {}; taken is the latter",
                                                   *request_.cores, parts.sockets, parts.cores_per_cache, source));
  }
  if (sources_.node) {
    compare_with_node(parts, source);
    const NodeParts& seen = *sources_.node;
    parts = seen;
    parts.nic_domains.clear();  // set_nics places them
    source = "hwloc's " + file_name(sources_.node_file);
    for (const std::string& note : seen.notes)
      if (note.find("network adapter") == std::string::npos) result_.notes.push_back(note);
  }
  if (parts.sockets > 0 && parts.cores_per_cache > 0) {
    MachineEdit edit(std::move(machine_));
    edit.set_node(parts, source, has_base() ? request_.base : "guesses");
    machine_ = edit.json();
    return;
  }
  const bool has_memory = parts.memory_bytes > 0;
  if (has_memory) {
    Json& node = machine_["node"];
    node["memory_bytes"] = parts.memory_bytes;
    node["source"] = fmt::format("memory: {}; shape: {}", source, node.value("source", ""));
    if (node.value("guess", Json(false)) == Json(true))
      node["guess"] = Json{"sockets", "domains_per_socket", "caches_per_domain", "cores_per_cache"};
  }
  result_.guesses.push_back(
      fmt::format("a node's cores{}: {}; --from hwloc=FILE (lstopo FILE.xml on a node){} says them",
                  has_memory ? "" : " and memory", has_base() ? "kept from " + request_.base : "invented",
                  has_memory   ? " or --cores"
                  : has_base() ? " or nodes=FILE (scontrol show nodes)"
                               : ", nodes=FILE (scontrol show nodes) or --cores"));
}

void SiteJson::set_nics(const Cabling& cabling, const std::vector<double>& ports) {
  Json& node = machine_["node"];
  Json model = node["nics"].empty() ? Json::object() : node["nics"].front();
  const double latency = model.value("latency_seconds", 300e-9);
  // The guesses' source has their own adapters' rate in it.
  const std::string latency_source = has_base() ? model.value("source", std::string("invented")) : "invented";
  const bool listed = !sources_.listings.empty();
  const std::string source = listed                    ? source_of_rates(cabling, cabling.ports_filled)
                             : !sources_.ports.empty() ? "read on a node: " + file_name(sources_.ports_file)
                             : request_.nic_rate       ? std::string("given: --nic-rate")
                                                       : "measured: " + levels_.bandwidth_file;
  const int domains = node["sockets"].get<int>() * node["domains_per_socket"].get<int>();
  std::vector<int> places = sources_.node ? sources_.node->nic_domains : std::vector<int>{};
  // Which of its adapters the ports are that are left out, hwloc does not say.
  if (places.size() != ports.size() && places.size() == ports.size() + sources_.other_ports.size()) places.clear();
  if (!places.empty() && places.size() != ports.size()) {
    result_.contradictions.push_back(
        fmt::format("{}: {} network adapters, but most hosts have {} ports by {}; taken is the latter",
                    sources_.node_file, places.size(), ports.size(), cabling.source));
    places.clear();
  }
  if (places.empty() && domains > 1)
    result_.guesses.push_back(
        "the NUMA domains that a node's ports are attached to: spread evenly; --from hwloc=FILE of a node with its "
        "adapters says them");
  node["nics"] = Json::array();
  for (std::size_t i = 0; i < ports.size(); ++i)
    node["nics"].push_back(
        {{"domain", places.empty() ? static_cast<int>(i * domains / ports.size()) : places[i]},
         {"bandwidth_bytes_per_second", ports[i]},
         {"latency_seconds", latency},
         {"source", fmt::format("bandwidth: {} ({}); latency{}: {}", source, rate_text(ports[i]),
                                places.empty() ? " and place" : "", latency_source)},
         {"guess", places.empty() && domains > 1 ? Json{"latency_seconds", "domain"} : Json{"latency_seconds"}}});
}

void SiteJson::set_network(const Cabling& cabling, const std::vector<double>& ports, const std::string& file) {
  const bool listed = !sources_.listings.empty();
  // Of cables that give no figures, of which the list has none.
  double usual = cabling.cables.empty() ? ports.front() : 0;
  for (const Cabling::Cable& cable : cabling.cables) usual = std::max(usual, cable.bytes_per_second);
  const std::string source = listed ? "ibnetdiscover's " + cabling.source : "Slurm's " + cabling.source,
                    rates_source = listed ? source_of_rates(cabling, cabling.cables_filled) : "given: --global-rate";
  Json cable{
      {"bandwidth_bytes_per_second", usual},
      {"latency_seconds", switch_latency_seconds_},
      {"source", fmt::format("bandwidths, in the list: {}; latency: {}", rates_source,
                             request_.switch_latency_seconds  ? "given: --switch-latency"
                             : levels_.switch_latency_seconds ? levels_.switch_latency_source
                                                              : "guessed, 90 to 300 ns a switch and 5 a metre")}};
  if (!request_.switch_latency_seconds && !levels_.switch_latency_seconds) {
    cable["guess"] = Json{"latency_seconds"};
    result_.guesses.push_back(
        "latency of a switch and its cable: 200 ns; --switch-latency says it (half of what osu_latency takes longer "
        "over two more switches), or --from matrix=FILE of hosts on several switches");
  }
  machine_["network"] = {{"graph",
                          {{"file", file},
                           {"cable", cable},
                           {"routing", "shortest-path"},
                           {"source", listed ? source : source + ", rates " + rates_source}}}};
  set_nics(cabling, ports);
}

void SiteJson::set_costs() {
  set_guessed_costs();
  if (sources_.measurements.empty()) set_messages(machine_, levels_, switch_latency_seconds_, result_);
}

void SiteJson::set_guessed_costs() {
  const bool measured = !sources_.measurements.empty(),
             has_levels = !levels_.latencies.empty() || !levels_.bandwidths.empty();
  if (has_base()) {
    if (!measured)
      result_.guesses.push_back(
          fmt::format("what messages and computing cost: kept from {}; --from osu=FILE (osu_latency, osu_bw between "
                      "two nodes) says the former",
                      request_.base));
    machine_["transport"]["network"]["source"] = fmt::format("kept from {}, on another fabric: {}", request_.base,
                                                             machine_["transport"]["network"].value("source", ""));
    return;
  }
  Json& transports = machine_["transport"];
  for (auto& [name, transport] : transports.items()) transport["guess"] = true;
  // What one message reaches in the guess, as part of its adapter, here, too.
  const double guessed_nic = Json::parse(machine_text(kGuesses))["node"]["nics"][0]["bandwidth_bytes_per_second"];
  const double factor = machine_["node"]["nics"][0]["bandwidth_bytes_per_second"].get<double>() / guessed_nic;
  for (Json& segment : transports["network"]["segments"])
    segment["bandwidth_bytes_per_second"] = segment["bandwidth_bytes_per_second"].get<double>() * factor;
  result_.guesses.push_back(
      measured ? "what messages inside a node and computing cost: invented where no measurement says it"
      : has_levels
          ? "what messages and computing cost, but for what the matrices say of messages between nodes: invented; "
            "--from osu=FILE (osu_latency, osu_bw between two nodes) says more, --base MACHINE takes both from "
            "another machine"
          : "what messages and computing cost: invented; --from osu=FILE (osu_latency, osu_bw between two nodes) says "
            "the former, --base MACHINE takes both from another machine");
}

std::string SiteJson::text(const std::string& name, const std::string& description) const {
  Json machine = machine_;
  machine.erase("$schema");
  machine["name"] = name;
  machine["description"] = description;
  return machine.dump(2) + "\n";
}

}  // namespace tutti
