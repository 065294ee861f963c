#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sites/cabling.hpp"

namespace tutti {

/// What dump_lfts (infiniband-diags) prints of all switches: by which port each sends what goes to an adapter.
struct ForwardingTables {
  struct Entry {
    int port;
    int line;
  };
  struct Table {
    std::string guid;  ///< of the switch, as guid_of gives it
    std::map<std::string, Entry>
        by_destination;  ///< what adapters call themselves: "node1 HCA-1"; the lowest of their LIDs
    int line;
  };
  std::string file;
  std::vector<Table> tables;
};

/// Throws InputError "FILE:LINE: what was expected", also where a switch is there twice.
ForwardingTables read_forwarding_tables(const std::filesystem::path& file);

/// The tables as lines for `cable_list`, which cable_text made of this cabling (topologies/cable_graph.hpp). Notes what
/// they do not decide. Nothing, which is noted, where hosts have ports on several switches. Throws InputError where a
/// switch has no table, or a port leads nowhere that the cabling knows.
std::string route_text(Cabling& cabling, const ForwardingTables& tables, const std::string& cable_list);

}  // namespace tutti
