#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sites/cabling.hpp"

namespace tutti {

/// What dump_lfts (infiniband-diags) prints of all switches: by which port each sends what goes to an adapter.
struct ForwardingTables {
  /// To one port of an adapter.
  struct Entry {
    std::string name;  ///< what the adapter calls itself: "node1 HCA-1"
    std::string guid;  ///< of its port, as guid_of gives it
    int port;
    int line;
  };
  struct Table {
    std::string guid;  ///< of the switch, as guid_of gives it
    std::vector<Entry> entries;
    int line;
  };
  std::string file;
  std::vector<Table> tables;
};

/// Throws InputError "FILE:LINE: what was expected", also where a switch is there twice.
ForwardingTables read_forwarding_tables(const std::filesystem::path& file);

/// The tables as lines for `cable_list`, which cable_text made of this cabling (topologies/cable_graph.hpp). A host is
/// known by its ports' GUIDs, else by its adapters' names; of several LIDs the first decides. Notes
/// what they do not decide. Nothing, which is noted, where hosts have ports on several switches, or adapters that a
/// switch sends to by different ways. Throws InputError where a switch has no table, a port leads nowhere that the
/// cabling knows, or a host's own switch does not send to the port that the host hangs on.
std::string route_text(Cabling& cabling, const ForwardingTables& tables, const std::string& cable_list);

}  // namespace tutti
