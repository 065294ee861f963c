#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tutti {

/// The parts of a node that the machine model has.
struct HwlocNode {
  int sockets, domains_per_socket, caches_per_domain, cores_per_cache;
  std::int64_t memory_bytes;     ///< 0: not in the file
  std::vector<int> nic_domains;  ///< of each high-speed network adapter (what hwloc calls OpenFabrics), may be empty
  bool domains_span_sockets;     ///< the file has fewer NUMA domains than sockets; each socket was taken as one
};

/// Reads an hwloc XML (as lstopo writes it) with libhwloc. Cores are hwloc's, in logical order, without regard to
/// hardware threads. Throws InputError if libhwloc refuses the file or the node's parts are not all alike.
HwlocNode read_hwloc_node(const std::filesystem::path& xml);

}  // namespace tutti
