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
};

/// The output of ibstat: every port of every adapter, "Rate:" in Gb/s. Throws InputError.
std::vector<AdapterPort> read_ibstat(const std::filesystem::path& file);

/// The output of ethtool INTERFACE…, "Speed: 25000Mb/s". Throws InputError.
std::vector<AdapterPort> read_ethtool(const std::filesystem::path& file);

}  // namespace tutti
