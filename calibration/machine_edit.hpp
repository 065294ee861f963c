#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "calibration/fitted_ranges.hpp"
#include "calibration/node_parts.hpp"
#include "calibration/transport_fit.hpp"

namespace tutti {

/// Changes to the text of a machine. The JSON must have passed the machine schema; keys keep their order. Each figure
/// that is put in says where it is from.
class MachineEdit {
 public:
  explicit MachineEdit(nlohmann::ordered_json machine) : machine_(std::move(machine)) {}

  const nlohmann::ordered_json& json() const { return machine_; }
  std::string text() const { return machine_.dump(2) + "\n"; }

  /// Makes the files that the machine names independent of where its own file is; `folder` is that of the base's.
  void anchor_files(const std::filesystem::path& folder);
  void rename(const std::string& name, const std::string& description);
  /// A network of one node, of which nothing is known.
  void set_one_node();
  /// Sockets, domains, caches, cores; memory and the places of the adapters where known. Adapters take the figures of
  /// the base's first; a base without keeps none. Where the shape is another than `base`'s, what that has measured or
  /// published of its nodes is a guess for these.
  void set_node(const NodeParts& node, const std::string& source, const std::string& base);
  /// Whether links of the level (Link::level) are inside a node or its adapters' cables; the others are the fabric's.
  static bool is_node_level(const std::string& level);
  /// The bandwidth of all links of the level. False: a level of the fabric, left as it is.
  bool set_bandwidth(const std::string& level, double bytes_per_second, const std::string& source);
  void set_transport(Distance distance, const TransportFit& fit, const std::string& source);
  /// What stands in "fitted" after set_transport.
  void note_fitted(const DistanceCurve& curve, const std::string& source) {
    add_fitted_messages(machine_, curve, source);
  }

 private:
  void doubt_nodes(const std::string& base);

  nlohmann::ordered_json machine_;
};

}  // namespace tutti
