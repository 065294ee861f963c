#include "calibration/machine_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

/// Six digits: no measurement has more, and files stay readable.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

/// A figure that is known now is no guess any more.
void drop_guess(Json& object, const std::string& key) {
  if (!object.contains("guess") || !object["guess"].is_array()) return;
  Json kept = Json::array();
  for (const Json& guess : object["guess"])
    if (guess != key) kept.push_back(guess);
  object["guess"] = kept;
  if (kept.empty()) object.erase("guess");
}

void set_channel_bandwidth(Json& channel, double bytes_per_second, const std::string& source) {
  const double before = channel["bandwidth_bytes_per_second"];
  channel["bandwidth_bytes_per_second"] = rounded(bytes_per_second);
  if (channel.contains("both_directions_bytes_per_second"))
    channel["both_directions_bytes_per_second"] =
        rounded(channel["both_directions_bytes_per_second"].get<double>() * bytes_per_second / before);
  if (channel.contains("guess") && channel["guess"] == true) channel["guess"] = Json::array({"latency_seconds"});
  drop_guess(channel, "bandwidth_bytes_per_second");
  channel["source"] = fmt::format("bandwidth: {}; the rest: {}", source, channel["source"].get<std::string>());
}

/// Where in the node's JSON the figures of a level of links are.
const std::map<std::string, std::string>& channel_keys() {
  static const std::map<std::string, std::string> keys{
      {"core-out", "core"},      {"core-in", "core"},           {"cache", "cache"},
      {"memory", "memory"},      {"domain-out", "domain_link"}, {"domain-in", "domain_link"},
      {"socket", "socket_link"}, {"injection", "injection"}};
  return keys;
}

}  // namespace

void MachineEdit::anchor_files(const std::filesystem::path& folder) {
  Json& network = machine_["network"];
  if (network.contains("graph"))
    network["graph"]["file"] = std::filesystem::absolute(folder / network["graph"]["file"].get<std::string>()).string();
}

void MachineEdit::rename(const std::string& name, const std::string& description) {
  machine_.erase("$schema");  // a path beside the base's file
  machine_["name"] = name;
  machine_["description"] = description;
}

void MachineEdit::set_one_node() {
  machine_["network"] = {
      {"crossbar", {{"nodes", 1}, {"source", "one node: nothing is known of a network"}, {"guess", true}}}};
  if (machine_["transport"].contains("network")) machine_["transport"]["network"]["guess"] = true;
}

/// What the base knows of its own nodes: their channels and adapters, messages inside them, and what computing costs.
void MachineEdit::doubt_nodes(const std::string& base) {
  const auto doubt = [&](Json& figures) {
    if (!figures.contains("source")) return;
    figures["source"] =
        fmt::format("kept from {}, whose nodes are others: {}", base, figures["source"].get<std::string>());
    figures["guess"] = true;
  };
  std::set<std::string> doubted;  // both directions are one channel
  for (const auto& [level, key] : channel_keys())
    if (machine_["node"].contains(key) && !doubted.contains(key)) doubt(machine_["node"][key]), doubted.insert(key);
  for (Json& nic : machine_["node"]["nics"]) doubt(nic);
  for (const char* distance : {"cache", "numa", "socket", "node"})
    if (machine_["transport"].contains(distance)) doubt(machine_["transport"][distance]);
  for (auto& [key, rate] : machine_["compute"].items()) doubt(rate);
  for (const char* of_the_base : {"published", "fitted", "calibration"}) machine_.erase(of_the_base);
}

void MachineEdit::set_node(const NodeParts& node, const std::string& source, const std::string& base) {
  Json& json = machine_["node"];
  const auto shape = [&] {
    return std::array<int, 4>{json["sockets"], json["domains_per_socket"], json["caches_per_domain"],
                              json["cores_per_cache"]};
  };
  const auto shape_before = shape();
  for (const auto& [key, value] : {std::pair("sockets", node.sockets),
                                   {"domains_per_socket", node.domains_per_socket},
                                   {"caches_per_domain", node.caches_per_domain},
                                   {"cores_per_cache", node.cores_per_cache}})
    json[key] = value;
  const bool keeps_memory = node.memory_bytes == 0 && json.contains("memory_bytes");
  const Json guess = json.value("guess", Json(false));
  const bool guesses_memory =
      guess.is_array() ? std::find(guess.begin(), guess.end(), "memory_bytes") != guess.end() : guess.get<bool>();
  if (node.memory_bytes > 0) json["memory_bytes"] = node.memory_bytes;
  json["source"] = fmt::format("shape: {}{}", source,
                               keeps_memory ? "; memory: " + json["source"].get<std::string>() : std::string());
  json.erase("guess");
  if (keeps_memory && guesses_memory) json["guess"] = Json::array({"memory_bytes"});

  if (shape() != shape_before) doubt_nodes(base);
  Json& nics = json["nics"];
  if (nics.empty()) return;
  if (node.nic_domains.empty()) {
    const int domains = node.sockets * node.domains_per_socket;
    for (Json& nic : nics) nic["domain"] = std::min(nic["domain"].get<int>(), domains - 1);
    return;
  }
  const Json figures = nics.front();
  nics = Json::array();
  for (const int domain : node.nic_domains) {
    Json& nic = nics.emplace_back(figures);
    nic.erase("count");
    nic["domain"] = domain;
  }
}

bool MachineEdit::is_node_level(const std::string& level) {
  return level.starts_with("nic-") || channel_keys().contains(level);
}

bool MachineEdit::set_bandwidth(const std::string& level, double bytes_per_second, const std::string& source) {
  if (!is_node_level(level)) return false;
  Json& node = machine_["node"];
  if (level.starts_with("nic-"))
    for (Json& nic : node["nics"]) set_channel_bandwidth(nic, bytes_per_second, source);
  else
    set_channel_bandwidth(node[channel_keys().at(level)], bytes_per_second, source);
  return true;
}

void MachineEdit::set_transport(Distance distance, const TransportFit& fit, const std::string& source) {
  constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  const Transport& transport = fit.transport;
  Json json{{"send_overhead_seconds", rounded(transport.send_overhead_seconds)},
            {"receive_overhead_seconds", rounded(transport.receive_overhead_seconds)},
            {"gap_seconds", rounded(transport.gap_seconds)}};
  if (transport.eager_limit_bytes != no_limit) json["eager_limit_bytes"] = transport.eager_limit_bytes;
  json["rendezvous_seconds"] = rounded(transport.rendezvous_seconds);
  json["segments"] = Json::array();
  for (std::size_t i = 0; i < transport.segments.size(); ++i) {
    const Segment& segment = transport.segments[i];
    Json one;
    if (segment.up_to_bytes != no_limit) one["up_to_bytes"] = segment.up_to_bytes;
    one["latency_seconds"] = rounded(segment.latency_seconds);
    one["bandwidth_bytes_per_second"] = rounded(segment.bandwidth_bytes_per_second);
    if (fit.bandwidth_is_guess.at(i)) one["guess"] = Json::array({"bandwidth_bytes_per_second"});
    json["segments"].push_back(one);
  }
  json["source"] = source;
  Json guesses = Json::array();
  for (const auto& [figure, reason] : fit.unidentified)
    if (json.contains(figure)) guesses.push_back(figure);
  if (!guesses.empty()) json["guess"] = guesses;
  machine_["transport"][to_string(distance)] = json;
}

}  // namespace tutti
