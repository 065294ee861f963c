#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tutti {

/// A network port of a node, as the node itself sees it.
struct AdapterPort {
  std::string name;         ///< "mlx5_0/1", "eth0"
  double bytes_per_second;  ///< 0: the port is down
  int line;
  std::string link_layer = {};  ///< "InfiniBand", "Ethernet"; empty: not said
};

/// The output of ibstat: every port of every adapter, "Rate:" in Gb/s. Throws InputError.
std::vector<AdapterPort> read_ibstat(const std::filesystem::path& file);

/// The output of ethtool INTERFACE…, "Speed: 25000Mb/s". Throws InputError.
std::vector<AdapterPort> read_ethtool(const std::filesystem::path& file);

/// Keeps what messages go by, and returns the others: of ports that are up (there must be one) those of the fastest
/// rate and its link layer, as of verbs' devices. Beside a listing of an InfiniBand fabric, which knows all its ports,
/// only Ethernet's are others.
std::vector<AdapterPort> leave_out_other_ports(std::vector<AdapterPort>& ports, bool is_in_fabric_listing);

}  // namespace tutti
