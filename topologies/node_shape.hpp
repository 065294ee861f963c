#pragma once
// The inside of a node: sockets, NUMA domains, cache groups, cores, NICs, and the channels between them.

#include <optional>
#include <vector>

#include "topologies/link.hpp"

namespace tutti {

/// A network adapter and its cable to the node's switch.
struct Nic {
  int domain = 0;  ///< the NUMA domain it is attached to, counted over the whole node
  Channel cable;   ///< each direction
  /// Where both directions together carry less than twice one: what they carry together.
  std::optional<double> both_directions_bytes_per_second;
};

/// Which adapter a core's messages take.
enum class NicPolicy {
  nearest,  ///< of its domain, else the nearest; equally near ones in turn
  in_turn   ///< all in turn by the core's number, wherever they are, as Cray MPICH deals them out to a node's ranks
};

/// Cores are numbered cache group by cache group, domain by domain, socket by socket. A channel that is not given
/// costs nothing and is not on any route.
///
/// A copy between two cores of a domain goes core-out, memory, core-in; between domains it passes the memory channels
/// of both and the domain and socket links between them. Messages to other nodes are moved by the NIC: they pass the
/// memory channel of the core's domain and the links to the NIC's domain, but no core channel; where
/// `injection_bytes_per_second` is given, also a link of the core's own for what it sends and receives there.
struct NodeShape {
  int sockets = 1;
  int domains_per_socket = 1;
  int caches_per_domain = 1;
  int cores_per_cache = 1;
  std::optional<Channel> core;         ///< into one core, and out of it: one link each
  std::optional<Channel> cache;        ///< per cache group; copies inside the group take it in place of the memory
  std::optional<Channel> memory;       ///< per domain, both directions together; a byte copied counts once
  std::optional<Channel> domain_link;  ///< between a domain and its socket's hub, each direction
  std::optional<Channel> socket_link;  ///< between each two sockets, each direction
  std::vector<Nic> nics;               ///< a machine of several nodes needs one
  NicPolicy nic_policy = NicPolicy::nearest;
  /// What one core's messages to and from other nodes carry together, where that is less than its adapter does.
  std::optional<double> injection_bytes_per_second;
};

}  // namespace tutti
