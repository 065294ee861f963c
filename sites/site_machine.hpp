#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

/// What a cluster's own tools say of it, and what a person adds.
struct SiteRequest {
  std::vector<std::pair<std::string, std::string>> from;  ///< kind (source_kinds) and file
  std::string base;                                       ///< a machine's name or file; empty: none
  std::string name;                                       ///< of the machine
  std::filesystem::path output;                           ///< the machine file; a cable list goes beside it
  std::optional<double> nic_rate;                         ///< of each of a node's ports, bytes per second
  std::optional<int> nics, cores;                         ///< ports and cores of a node
  std::vector<double>
      global_rates;  ///< of all cables from a switch to those above, lowest level first, bytes per second
  std::optional<double> switch_latency_seconds;  ///< of a switch and its cable
};

struct SiteMachine {
  std::string machine_json;           ///< follows the machine schema, but that its cable list is not written yet
  std::filesystem::path cables_file;  ///< where cable_list belongs, beside the machine; empty: none
  std::string cable_list;
  int nodes = 0, switches = 0, cables = 0;
  std::vector<std::string> notes;           ///< what was left out, taken for another, or looks degraded
  std::vector<std::string> contradictions;  ///< two sources that cannot both be right, and which was taken
  std::vector<std::string> guesses;         ///< what no source says, and what would say it
  std::string residuals;                    ///< of the fit, where there are measurements
  std::string residuals_json;               ///< the same by calibration/residuals.schema.json; empty: none
};

/// A kind of source and what it is, for help and messages.
struct SourceKind {
  std::string name, what;
};
const std::vector<SourceKind>& source_kinds();

/// "KIND=FILE" or "KIND:FILE". Throws InputError with the kinds that there are.
std::pair<std::string, std::string> parse_source(const std::string& text);

/// Makes a machine, each figure with its source. Throws InputError on a bad file, and where something is missing that
/// cannot be guessed: all of that at once, each with what would say it. Writes nothing but files in a temporary folder,
/// which are gone when it returns.
SiteMachine make_site_machine(const SiteRequest& request);

}  // namespace tutti
