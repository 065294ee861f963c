#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sites/fabric_listing.hpp"
#include "sites/slurm_topology.hpp"

namespace tutti {

/// Hosts, switches and cables, whatever said so. Rates in bytes per second and direction; 0: not known. Plain data.
struct Cabling {
  struct Port {
    int on_switch;
    double bytes_per_second;
    int switch_port = 0;  ///< of the switch, where a listing says it
  };
  struct Host {
    std::string name;
    std::vector<Port> ports;
    std::vector<std::string> port_guids{};  ///< as guid_of gives them, where a listing says them
  };
  struct Cable {
    int switch_a, switch_b;
    double bytes_per_second;
    int port_a = 0, port_b = 0;  ///< of the switches, where a listing says them
  };
  std::vector<std::string> switches;  ///< names that differ, without commas
  std::vector<std::string> guids;     ///< of switches, as guid_of gives them; empty: not known
  std::vector<Host> hosts;
  std::vector<Cable> cables;
  std::string source;
  /// What says the rates that the source does not.
  struct Filled {
    std::string by;  ///< empty: it says all
    bool all = false;
  };
  Filled ports_filled = {}, cables_filled = {};
  std::vector<std::string> notes;   ///< what a reader should know, a line each
  std::vector<std::string> faults;  ///< what listings contradict or lack, and what was taken, a line each
};

/// Of listings of one fabric or of several that the same hosts are on; those of one are joined (joined_listings.hpp).
/// Adapters are put together by the first word of what they call themselves; `names` (by GUID) come before that. What
/// switches themselves compute with (SHARP's aggregation nodes) and routers are left out. Where no adapter has a host's
/// name, each is a host; where some have, the others are left out. All of that is noted, and cables slower than their
/// like are named. Throws InputError.
Cabling cabling_of(const std::vector<FabricListing>& listings, const std::map<std::string, std::string>& names);

/// A scheduler's switches, one cable from each to the one above. `up_rates`: of all that go up from a switch together,
/// lowest level first; `host_rates`: of a host's ports. Throws InputError where a switch lies below itself.
Cabling cabling_of(const SwitchTree& tree, const std::vector<double>& up_rates, const std::vector<double>& host_rates);
/// Levels of switches that go up to another.
int levels_of(const SwitchTree& tree);

/// Leaves the hosts whose names are in `kept` (without domains) and notes which of these are not `in_fabric`, the hosts
/// that were there before any was left out. Throws InputError where none is there.
void keep_hosts(Cabling& cabling, const std::vector<std::string>& kept, const std::string& source,
                const std::set<std::string>& in_fabric);

/// Leaves the hosts that most others reach over switches, and the cables between those; notes the other hosts. Throws
/// InputError, naming `file`, where as many reach only each other; of a scheduler's switches with the line that helps.
void keep_connected(Cabling& cabling, const std::string& file, bool is_of_scheduler);

/// The most cables on a shortest way between two switches that hosts are on.
int longest_way(const Cabling& cabling);

/// The number and rates of the ports that most hosts have; of as many the faster.
std::vector<double> common_ports(const Cabling& cabling);

/// The fabric as a cable list (topologies/cable_graph.hpp), of nodes that each have `ports`; hosts in natural order,
/// switch by switch. Hosts with ports on several switches, or with fewer or slower ones than `ports`, hang on a switch
/// that stands for these ports; how many do is noted, and so are ports of other rates than `ports`. Adds the hosts'
/// names in the order of nodes.
std::string cable_text(Cabling& cabling, const std::vector<double>& ports, double latency_seconds,
                       std::vector<std::string>& nodes);

/// What the cabling and a scheduler's topology disagree about, a line each.
std::vector<std::string> contradictions(const Cabling& cabling, const SwitchTree& tree);

}  // namespace tutti
