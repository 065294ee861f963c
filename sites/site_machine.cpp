#include "sites/site_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "models/figures_checksum.hpp"
#include "models/machine.hpp"
#include "sites/site_json.hpp"
#include "sites/sources.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

/// Gone with what is in it when it is destroyed.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tutti-site-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw InputError(name + ": cannot be made, expected a place for temporary files");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw InputError(file.string() + ": cannot be written, expected room for temporary files");
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Those that a host or a cable hangs on: of others, no host is left.
std::set<int> connected_switches(const Cabling& cabling) {
  std::set<int> switches;
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports) switches.insert(port.on_switch);
  for (const Cabling::Cable& cable : cabling.cables) switches.insert({cable.switch_a, cable.switch_b});
  return switches;
}

std::string summary(const Cabling& cabling, std::size_t nodes) {
  std::map<int, int> down, up;
  for (const Cabling::Host& host : cabling.hosts)
    for (const Cabling::Port& port : host.ports) ++down[port.on_switch];
  for (const Cabling::Cable& cable : cabling.cables) ++up[cable.switch_a], ++up[cable.switch_b];
  int least_down = 1 << 30, most_down = 0, least_up = 1 << 30, most_up = 0;
  for (const auto& [one, ports] : down) {
    const int cables = up.contains(one) ? up.at(one) : 0;
    least_down = std::min(least_down, ports), most_down = std::max(most_down, ports);
    least_up = std::min(least_up, cables), most_up = std::max(most_up, cables);
  }
  const auto range = [](int least, int most) {
    return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  };
  return fmt::format("{} nodes on {} switches, {} of which have {} host ports and {} cables to other switches", nodes,
                     connected_switches(cabling).size(), down.size(), range(least_down, most_down),
                     range(least_up, most_up));
}

/// Fits what is measured, on the machine in a folder of its own.
std::string fitted(const Sources& sources, const std::string& machine, const SiteRequest& request,
                   const KnownNetwork& known, const MeasuredLevels& levels, SiteMachine& result) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "machine.json";
  write(file, machine);
  write(folder.path() / result.cables_file.filename(), result.cable_list);
  const std::string there = request.output.has_parent_path() ? request.output.parent_path().string() : ".";
  const auto named = [&](const std::string& text) {
    return replaced(replaced(text, file.string(), request.output.string()), folder.path().string(), there);
  };
  if (sources.measurements.empty()) {
    try {
      load_machine(file.string());
    } catch (const InputError& error) {
      throw InputError(named(error.what()));
    }
    return machine;
  }
  CalibrationRequest fit;
  fit.base = file.string();
  fit.inputs = sources.measurements;
  fit.name = request.name;
  fit.known = known;
  fit.base_origin = (request.base.empty() ? "round figures" : request.base) + " and what the other files say";
  try {
    CalibrationResult done = calibrate(fit);
    result.residuals_json = named(residuals_json(done.report).dump());
    for (std::string& line : std::exchange(done.report.contradictions, {}))
      result.contradictions.push_back(std::move(line));
    for (const DistanceResiduals& one : done.report.distances)
      if (one.distance == Distance::network) compare_with_levels(levels, one, result);
    result.residuals = named(format_residuals(done.report));
    return done.machine_json;
  } catch (const InputError& error) {
    throw InputError(named(error.what()));
  }
}

/// Lines for the list, which then has a way from each node to each other.
std::string routes_of(Cabling& cabling, const ForwardingTables& tables, const std::string& cable_list) {
  std::string routes = route_text(cabling, tables, cable_list);
  try {
    const CableGraph whole(parse_cables(cable_list + routes, tables.file, {1e9, 0}));
  } catch (const InputError& error) {
    throw InputError(tables.file + ":1: " + error.what());
  }
  return routes;
}

}  // namespace

SiteMachine make_site_machine(const SiteRequest& request) {
  const Sources sources = read_sources(request);
  SiteMachine result;
  Cabling cabling = site_cabling(request, sources, result.contradictions);
  const std::vector<double> ports = common_ports(cabling);
  const MeasuredLevels levels = measured_levels(request, sources, cabling, result);
  SiteJson json(request, sources, levels, result);
  std::vector<std::string> nodes;
  result.cable_list = cable_text(cabling, ports, json.switch_latency_seconds(), nodes);
  if (sources.routes) result.cable_list += routes_of(cabling, *sources.routes, result.cable_list);
  result.cables_file = request.output;
  if (request.output.extension() == ".json") result.cables_file.replace_extension();
  result.cables_file += ".cables.csv";
  result.nodes = static_cast<int>(nodes.size());
  result.switches = static_cast<int>(connected_switches(cabling).size());
  result.cables = static_cast<int>(cabling.cables.size());
  json.set_node();
  json.set_network(cabling, ports, result.cables_file.filename().string());
  json.set_costs();
  result.notes.insert(result.notes.begin(), cabling.notes.begin(), cabling.notes.end());
  const std::string description = summary(cabling, nodes.size()) + ", as " + cabling.source + " says.";
  const KnownNetwork known{source_of_ports(request, sources, cabling), cabling.source,
                           longest_way(cabling) * json.switch_latency_seconds()};
  nlohmann::ordered_json made = nlohmann::ordered_json::parse(
      fitted(sources, json.text(request.name, description), request, known, levels, result));
  made["description"] = description + (sources.measurements.empty() ? "" : " Messages fitted to measurements.");
  made["network"]["graph"]["file"] = result.cables_file.filename().string();
  result.machine_json = made.dump(2) + "\n";
  if (!result.residuals_json.empty()) {
    nlohmann::json residuals = nlohmann::json::parse(result.residuals_json);
    residuals["machine_checksum"] = figures_checksum(result.machine_json);  // the fit named its cable list otherwise
    result.residuals_json = residuals.dump();
  }
  return result;
}

}  // namespace tutti
