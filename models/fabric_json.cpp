#include "models/fabric_json.hpp"

#include <filesystem>
#include <stdexcept>

#include "base/error.hpp"
#include "json/text_file.hpp"
#include "topologies/cable_graph.hpp"
#include "topologies/dragonfly.hpp"
#include "topologies/dragonfly_plus.hpp"
#include "topologies/fat_tree.hpp"
#include "topologies/torus.hpp"

namespace tutti {
namespace {

using nlohmann::json;

/// Of the names that the schema allows.
Routing routing_from(const json& object) {
  const std::string name = object.value("routing", "");
  if (name == "adaptive") return Routing::adaptive;
  return name == "ecmp" ? Routing::hashed : Routing::fixed;
}

std::unique_ptr<const Fabric> fat_tree_from(const json& object) {
  FatTreeShape shape;
  shape.nodes_per_leaf = object["nodes_per_leaf"];
  shape.nodes = object.value("nodes", 0);
  shape.routing = routing_from(object);
  for (const json& layer : object["layers"])
    shape.layers.push_back({layer["children"], layer["parents"], layer.value("cables", 1), channel_from(layer)});
  return std::make_unique<FatTree>(shape);
}

std::unique_ptr<const Fabric> crossbar_from(const json& object) {
  return std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = object["nodes"], .layers = {}});
}

std::unique_ptr<const Fabric> dragonfly_from(const json& object) {
  DragonflyShape shape;
  shape.groups = object["groups"];
  shape.chassis_per_group = object["chassis_per_group"];
  shape.routers_per_chassis = object["routers_per_chassis"];
  shape.nodes_per_router = object["nodes_per_router"];
  shape.global_cables = object["global_cables"];
  shape.nodes = object.value("nodes", 0);
  shape.routing = routing_from(object);
  shape.detour_share = object.value("detour_share", 0.0);
  // The cables that a shape has and the file leaves out are refused by the fabric.
  if (object.contains("local")) shape.local = channel_from(object["local"]);
  if (object.contains("chassis")) shape.chassis = channel_from(object["chassis"]);
  if (object.contains("global")) shape.global = channel_from(object["global"]);
  return std::make_unique<Dragonfly>(shape);
}

std::unique_ptr<const Fabric> dragonfly_plus_from(const json& object) {
  DragonflyPlusShape shape;
  shape.groups = object["groups"];
  shape.leaves_per_group = object["leaves_per_group"];
  shape.spines_per_group = object["spines_per_group"];
  shape.nodes_per_leaf = object["nodes_per_leaf"];
  shape.global_cables = object["global_cables"];
  shape.nodes = object.value("nodes", 0);
  shape.routing = routing_from(object);
  shape.detour_share = object.value("detour_share", 0.0);
  shape.local = channel_from(object["local"]);
  shape.local_cables = object["local"].value("cables", 1);
  if (object.contains("global")) shape.global = channel_from(object["global"]);
  return std::make_unique<DragonflyPlus>(shape);
}

std::unique_ptr<const Fabric> torus_from(const json& object) {
  return std::make_unique<Torus>(TorusShape{object["dimensions"].get<std::vector<int>>(), object["nodes_per_router"],
                                            channel_from(object["cable"])});
}

std::unique_ptr<const Fabric> graph_from(const Document& document, const json& object) {
  const auto folder = std::filesystem::path(document.origin()).parent_path();
  const std::string path = (folder / object["file"].get<std::string>()).string();
  const std::optional<std::string> text = read_text_file(path);
  if (!text) document.fail("/network/graph/file", "expected a readable file, got " + path);
  CableList list = parse_cables(std::string(without_byte_order_mark(*text)), path, channel_from(object["cable"]));
  for (CableList::Entry& entry : list.entries) {
    Channel& cable = entry.cable;
    cable.bandwidth_bytes_per_second =
        object.value("all_bandwidth_bytes_per_second", cable.bandwidth_bytes_per_second) *
        object.value("bandwidth_times", 1.0);
    cable.latency_seconds =
        object.value("all_latency_seconds", cable.latency_seconds) * object.value("latency_times", 1.0);
  }
  try {
    return std::make_unique<CableGraph>(list, routing_from(object));
  } catch (const InputError& error) {
    document.fail("/network/graph", error.what());
  }
}

}  // namespace

Channel channel_from(const json& object) {
  return {object["bandwidth_bytes_per_second"], object["latency_seconds"], object.value("shared", true)};
}

std::unique_ptr<const Fabric> fabric_from(const Document& document) {
  const auto network = document.root()["network"].items().begin();
  const std::string& kind = network.key();
  const json& object = network.value();
  if (kind == "graph") return graph_from(document, object);
  try {
    if (kind == "fat_tree") return fat_tree_from(object);
    if (kind == "dragonfly") return dragonfly_from(object);
    if (kind == "dragonfly_plus") return dragonfly_plus_from(object);
    if (kind == "torus") return torus_from(object);
    if (kind == "crossbar") return crossbar_from(object);
  } catch (const InputError& error) {
    document.fail("/network/" + kind, error.what());
  }
  throw std::logic_error("the schema of machines has a kind of network that is not built: " + kind);
}

}  // namespace tutti
