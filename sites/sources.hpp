#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/calibrate.hpp"
#include "calibration/node_parts.hpp"
#include "sites/adapters.hpp"
#include "sites/cabling.hpp"
#include "sites/forwarding_tables.hpp"
#include "sites/pair_matrix.hpp"
#include "sites/site_machine.hpp"
#include "sites/slurm_nodes.hpp"

namespace tutti {

/// All that the files of a request say, read whole.
struct Sources {
  std::vector<FabricListing> listings;
  std::map<std::string, std::string> names;  ///< of hosts and switches by GUID
  std::optional<ForwardingTables> routes;
  std::optional<SwitchTree> tree;
  std::vector<std::string> hosts;
  std::string hosts_file;
  std::vector<SlurmNode> nodes;
  std::string nodes_file;
  std::vector<AdapterPort> ports;
  std::string ports_file;
  std::vector<AdapterPort> other_ports;  ///< that messages do not go by: slower ones, of a management network
  std::optional<NodeParts> node;
  std::string node_file;
  std::vector<PairMatrix> matrices;  ///< at most one of each quantity
  std::vector<CalibrationInput> measurements;
};

/// Whether something else than a measurement says the rates of a node's ports.
bool knows_ports(const SiteRequest& request, const Sources& sources);

/// "ibnetdiscover's FILE", for people, or what says the rates instead, or of those that it does not say.
std::string source_of_rates(const Cabling& cabling, const Cabling::Filled& filled);

/// What says them, for people; empty: measurements alone.
std::string source_of_ports(const SiteRequest& request, const Sources& sources, const Cabling& cabling);

/// Throws InputError, also where two files of a kind say what only one can.
Sources read_sources(const SiteRequest& request);

/// The hosts, switches and cables that the sources agree on, with what they do not; the fabric listing comes before the
/// scheduler's topology. Rates that are not known are the request's. Throws InputError with all that is missing.
Cabling site_cabling(const SiteRequest& request, const Sources& sources, std::vector<std::string>& contradictions);

}  // namespace tutti
