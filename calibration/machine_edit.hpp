#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibration/hwloc_node.hpp"
#include "calibration/transport_fit.hpp"

namespace tutti {

/// Changes to the text of a machine. The JSON must have passed the machine schema; keys keep their order. Each figure
/// that is put in says where it is from.
class MachineEdit {
 public:
  explicit MachineEdit(nlohmann::ordered_json machine) : machine_(std::move(machine)) {}

  const nlohmann::ordered_json& json() const { return machine_; }
  std::string text() const { return machine_.dump(2) + "\n"; }

  void rename(const std::string& name, const std::string& added_description);
  /// Sockets, domains, caches, cores, memory and the places of the adapters. Adapters take the figures of the base's
  /// first; a base without keeps none. Returns what a reader should know, one line each.
  std::vector<std::string> set_node(const HwlocNode& node, const std::string& source);
  /// The bandwidth of all links of the level (Link::level). False: a level of the fabric, left as it is.
  bool set_bandwidth(const std::string& level, double bytes_per_second, const std::string& source);
  void set_transport(Distance distance, const TransportFit& fit, const std::string& source);

 private:
  nlohmann::ordered_json machine_;
};

}  // namespace tutti
