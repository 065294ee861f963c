#include "models/fabric_json.hpp"

#include <stdexcept>

#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

using nlohmann::json;

std::unique_ptr<const Fabric> fat_tree_from(const json& object) {
  FatTreeShape shape;
  shape.nodes_per_leaf = object["nodes_per_leaf"];
  shape.nodes = object.value("nodes", 0);
  for (const json& layer : object["layers"])
    shape.layers.push_back({layer["children"], layer["parents"], layer.value("cables", 1), channel_from(layer)});
  return std::make_unique<FatTree>(shape);
}

std::unique_ptr<const Fabric> crossbar_from(const json& object) {
  return std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = object["nodes"], .layers = {}});
}

}  // namespace

Channel channel_from(const json& object) {
  return {object["bandwidth_bytes_per_second"], object["latency_seconds"], object.value("shared", true)};
}

std::unique_ptr<const Fabric> fabric_from(const Document& document) {
  const auto network = document.root()["network"].items().begin();
  const std::string& kind = network.key();
  const json& object = network.value();
  try {
    if (kind == "fat_tree") return fat_tree_from(object);
    if (kind == "crossbar") return crossbar_from(object);
  } catch (const std::invalid_argument& error) {
    document.fail("/network/" + kind, error.what());
  }
  document.fail("/network/" + kind, "expected another kind: this one is not built yet");
}

}  // namespace tutti
