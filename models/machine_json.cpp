#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "json/document.hpp"
#include "models/fabric_json.hpp"
#include "models/machine.hpp"
#include "models/transport_class.hpp"

namespace tutti {
namespace embedded {
const std::map<std::string, std::string>& machines();
const std::map<std::string, std::string>& machine_schema();
}  // namespace embedded

namespace {

using nlohmann::json;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::optional<Channel> optional_channel(const json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  return channel_from(object[key]);
}

NodeShape node_from(const json& object) {
  NodeShape shape;
  shape.sockets = object["sockets"];
  shape.domains_per_socket = object["domains_per_socket"];
  shape.caches_per_domain = object["caches_per_domain"];
  shape.cores_per_cache = object["cores_per_cache"];
  shape.core = optional_channel(object, "core");
  shape.cache = optional_channel(object, "cache");
  shape.memory = optional_channel(object, "memory");
  shape.domain_link = optional_channel(object, "domain_link");
  shape.socket_link = optional_channel(object, "socket_link");
  for (const json& given : object["nics"]) {
    check_count(given["domain"].get<std::int64_t>(), 0, "NIC: domain");
    Nic nic{given["domain"], channel_from(given), std::nullopt};
    if (given.contains("both_directions_bytes_per_second"))
      nic.both_directions_bytes_per_second = given["both_directions_bytes_per_second"];
    const int count = given.value("count", 1);
    if (static_cast<std::int64_t>(shape.nics.size()) + count > 1024)
      throw InputError("node: expected at most 1024 NICs");
    shape.nics.insert(shape.nics.end(), count, nic);
  }
  if (object.value("nic_policy", "nearest") == "in_turn") shape.nic_policy = NicPolicy::in_turn;
  if (object.contains("injection"))
    shape.injection_bytes_per_second = object["injection"]["bandwidth_bytes_per_second"];
  return shape;
}

Transport transport_from(const Document& document, Distance distance, bool larger_job) {
  const json object = transport_class(document.root(), distance, larger_job);
  Transport transport{object["send_overhead_seconds"],
                      object["receive_overhead_seconds"],
                      object["gap_seconds"],
                      {},
                      object.value("eager_limit_bytes", unlimited),
                      object["rendezvous_seconds"],
                      object.value("eager_copy_seconds_per_byte", 0.0),
                      object.value("half_duplex_above_bytes", unlimited),
                      object.value("receiver_reads", false),
                      object.value("blocking_eager_limit_bytes", std::int64_t{0}),
                      object.value("acknowledged_above_bytes", std::int64_t{0}),
                      object.value("acknowledgement_seconds", 0.0)};
  if (object.contains("retransmission")) {
    transport.retransmitted_share = object["retransmission"]["share"];
    transport.retransmission_seconds = object["retransmission"]["seconds"];
  }
  if (object.contains("peer_change")) {
    transport.peer_change_send_gap_seconds = object["peer_change"]["send_gap_seconds"];
    transport.peer_change_receive_gap_seconds = object["peer_change"]["receive_gap_seconds"];
  }
  if (object.contains("connection_limit")) {
    transport.connection_bytes_per_second = object["connection_limit"]["bandwidth_bytes_per_second"];
    transport.connections_copy = object["connection_limit"].value("sender_copies", false);
  }
  const json& segments = object["segments"];
  const std::string at = place_in_class(document.root(), distance, larger_job, "/segments");
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string pointer = at + "/" + std::to_string(i);
    const bool last = i + 1 == segments.size();
    if (segments[i].contains("up_to_bytes") == last)
      document.fail(pointer, last ? "expected no up_to_bytes in the last segment: it holds for all larger messages"
                                  : "expected up_to_bytes, as another segment follows");
    const std::int64_t limit = segments[i].value("up_to_bytes", unlimited);
    if (i > 0 && limit <= transport.segments.back().up_to_bytes)
      document.fail(pointer + "/up_to_bytes", "expected more than in the segment before");
    transport.segments.push_back({limit, segments[i]["latency_seconds"], segments[i]["bandwidth_bytes_per_second"]});
  }
  return transport;
}

Compute::Rate rate_from(const Document& document, const std::string& name) {
  const json& object = document.root()["compute"][name];
  if (object.contains("cache_bytes") != object.contains("seconds_per_byte_out_of_cache"))
    document.fail("/compute/" + name, "expected cache_bytes and seconds_per_byte_out_of_cache together or neither");
  const double in_cache = object["seconds_per_byte"];
  return {object["overhead_seconds"], in_cache, object.value("cache_bytes", unlimited),
          object.value("seconds_per_byte_out_of_cache", in_cache), object.value("working_set", "operation") == "call"};
}

Compute::Temporary temporary_from(const Document& document) {
  const json& compute = document.root()["compute"];
  if (!compute.contains("temporary")) return {};
  const json& object = compute["temporary"];
  if (object.contains("all_mapped_from_bytes") &&
      (object["mapped_from_bytes"] == 0 || object["all_mapped_from_bytes"] <= object["mapped_from_bytes"]))
    document.fail("/compute/temporary/all_mapped_from_bytes",
                  "expected more than mapped_from_bytes, and that to be more than 0");
  return {object["seconds_per_byte"], object["mapped_from_bytes"], object.value("trimmed_from_bytes", unlimited),
          object.value("all_mapped_from_bytes", std::int64_t{0}), object.value("registration_seconds", 0.0)};
}

Transport copies(const Compute::Rate& copy) {
  Transport self{copy.overhead_seconds, 0, 0, {}, unlimited, 0};
  const auto up_to = [&](std::int64_t bytes) {
    self.segments.push_back({bytes, 0, 1 / copy.seconds_per_byte_at(bytes, bytes)});
  };
  const bool always_fits = copy.cache_bytes >= unlimited / 8;
  for (const std::int64_t times : {1, 2, 4})
    if (!always_fits) up_to(times * copy.cache_bytes + times - 1);
  self.segments.push_back(
      {unlimited, 0, 1 / (always_fits ? copy.seconds_per_byte : copy.seconds_per_byte_out_of_cache)});
  return self;
}

// Whether two cores of the machine are at this distance.
bool occurs(const Network& network, Distance distance) {
  const NodeShape& node = network.node_shape();
  switch (distance) {
    case Distance::self:
      return true;
    case Distance::cache:
      return node.cores_per_cache > 1;
    case Distance::numa:
      return node.caches_per_domain > 1;
    case Distance::socket:
      return node.domains_per_socket > 1;
    case Distance::node:
      return node.sockets > 1;
    case Distance::network:
      return network.nodes() > 1;
  }
  return false;
}

void fill_transports(Machine& machine, const Document& document, bool larger_job) {
  for (int i = distance_count - 1; i > 0; --i) {
    const auto distance = static_cast<Distance>(i);
    if (!occurs(*machine.network, distance)) continue;
    if (place_in_class(document.root(), distance, larger_job, "").empty())
      document.fail("/transport", std::string("expected the class ") + to_string(distance) +
                                      " or a farther one, as the machine has such cores");
    machine.transports[i] = transport_from(document, distance, larger_job);
  }
  machine.transports[0] = copies(machine.compute.copy);
}

/// What differs is no class of its own.
void check_differences(const Document& document) {
  for (const auto& [name, difference] : document.root()["larger_jobs"]["transport"].items())
    if (!document.root()["transport"].contains(name))
      document.fail("/larger_jobs/transport/" + name,
                    "expected a class that /transport has, of which this is what differs");
}

void fill_larger_jobs(Machine& machine, const Document& document) {
  if (!document.root().contains("larger_jobs")) return;
  auto larger = std::make_shared<Machine>(machine);
  check_differences(document);
  fill_transports(*larger, document, true);
  machine.larger_job_ranks = document.root()["larger_jobs"]["more_ranks_than"];
  machine.larger_jobs = std::move(larger);
}

// A guess names keys of its own object.
void check_guesses(const Document& document, const json& value, const std::string& pointer) {
  if (value.is_object() && value.contains("guess") && value["guess"].is_array())
    for (const json& key : value["guess"])
      if (!value.contains(key.get<std::string>()))
        document.fail(pointer + "/guess", "expected keys of this object, got \"" + key.get<std::string>() + "\"");
  if (!value.is_structured()) return;
  for (const auto& member : value.items()) check_guesses(document, member.value(), pointer + "/" + member.key());
}

std::vector<Published> published_from(const Document& document) {
  std::vector<Published> all;
  for (const json& given : document.root().value("published", json::array())) {
    const std::string what = given["what"], distance = given["distance"];
    Published figure{what == "latency"     ? Published::What::latency
                     : what == "bandwidth" ? Published::What::bandwidth
                                           : Published::What::exchange_bandwidth,
                     Distance::network,
                     std::nullopt,
                     given["bytes"],
                     given["least"],
                     given["most"],
                     given["source"],
                     given.value("deviates", "")};
    for (int i = 1; i < distance_count; ++i)
      if (distance == to_string(static_cast<Distance>(i))) figure.distance = static_cast<Distance>(i);
    if (given.contains("hops")) figure.hops = given["hops"];
    const std::string pointer = "/published/" + std::to_string(all.size());
    if (figure.hops && figure.distance != Distance::network)
      document.fail(pointer + "/hops", "expected hops for the network alone");
    if (figure.most < figure.least) document.fail(pointer + "/most", "expected no less than the least");
    all.push_back(std::move(figure));
  }
  return all;
}

void check_name(const Document& document) {
  const std::string name = document.root()["name"];
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  if (!plain(name.front()) ||
      !std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; }))
    document.fail("/name", "expected letters, digits and . _ -, a letter or digit first");
}

Document validated(const std::string& text, const std::string& origin) {
  static const json schema = json::parse(machine_schema());
  Document document(text, origin);
  document.validate(schema);
  check_name(document);
  check_guesses(document, document.root(), "");
  return document;
}

void collect_sources(const json& value, const std::string& pointer, const json& owner, const std::string& key,
                     std::vector<Figure>& into) {
  if (value.is_number()) {
    const json guess = owner.value("guess", json(false));
    const bool guessed =
        guess.is_array() ? std::find(guess.begin(), guess.end(), key) != guess.end() : guess.get<bool>();
    into.push_back({pointer, value.dump(), owner.value("source", ""), guessed});
  }
  if (!value.is_structured()) return;
  json marked;  // a part without a source of its own may name guesses of its own
  if (value.is_object() && !value.contains("source") && value.contains("guess"))
    marked = {{"source", owner.value("source", "")}, {"guess", value["guess"]}};
  const bool owns = value.is_object() && (value.contains("source") || !marked.is_null());
  const json& next = !marked.is_null() ? marked : owns ? value : owner;
  for (const auto& member : value.items())
    collect_sources(member.value(), pointer + "/" + member.key(), next, owns ? member.key() : key, into);
}

}  // namespace

Machine parse_machine(const std::string& text, const std::string& origin) {
  const Document document = validated(text, origin);
  const json& root = document.root();
  Machine machine;
  machine.name = root["name"];
  machine.description = root["description"];
  machine.memory_bytes_per_node = root["node"].value("memory_bytes", std::int64_t{0});
  std::unique_ptr<const Fabric> fabric = fabric_from(document);
  try {
    machine.network = std::make_shared<const Network>(node_from(root["node"]), std::move(fabric));
  } catch (const InputError& error) {
    document.fail("/node", error.what());
  }
  machine.compute = {rate_from(document, "reduce"), rate_from(document, "copy"), temporary_from(document),
                     root["compute"].contains("requests") ? root["compute"]["requests"]["seconds"].get<double>() : 0,
                     root["compute"].contains("packing")};
  if (root.contains("congestion_trees")) {
    const json& trees = root["congestion_trees"];
    machine.congestion_trees = CongestionTrees{trees["from_senders"], trees["grow_seconds"], trees["queued_bytes"]};
  }
  fill_transports(machine, document, false);
  fill_larger_jobs(machine, document);
  machine.published = published_from(document);
  return machine;
}

std::vector<Figure> machine_figures(const std::string& text, const std::string& origin) {
  std::vector<Figure> figures;
  const Document document = validated(text, origin);
  json model = document.root();
  model.erase("published");
  model.erase("fitted");
  collect_sources(model, "", json::object(), "", figures);
  return figures;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : embedded::machines()) names.push_back(name);
  return names;
}

const std::string& machine_text(const std::string& name) {
  const auto found = embedded::machines().find(name);
  if (found == embedded::machines().end()) throw InputError(name + ":1: expected the name of a machine");
  return found->second;
}

const std::string& machine_schema() { return embedded::machine_schema().at("machine.schema"); }

}  // namespace tutti
