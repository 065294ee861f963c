#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti {

/// The counts of a node that the machine model has, from a description of the node or from measurements.
struct NodeParts {
  int sockets, domains_per_socket, caches_per_domain, cores_per_cache;
  std::int64_t memory_bytes;       ///< 0: not known
  std::vector<int> nic_domains;    ///< of each high-speed network adapter; empty: not known
  std::vector<std::string> notes;  ///< what a reader should know about them, one line each
};

}  // namespace tutti
