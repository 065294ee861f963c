#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sites/measured_levels.hpp"
#include "sites/sources.hpp"

namespace tutti {

/// What of a machine's text comes from the sources; the rest is the base's, or guessed where there is none. Adds to the
/// result's notes, contradictions and guesses.
class SiteJson {
 public:
  SiteJson(const SiteRequest& request, const Sources& sources, const MeasuredLevels& levels, SiteMachine& result);

  /// Seconds of a switch and its cable.
  double switch_latency_seconds() const { return switch_latency_seconds_; }
  void set_node();
  /// `ports`: their rates in bytes per second; `file`: the cable list, relative to the machine's own.
  void set_network(const Cabling& cabling, const std::vector<double>& ports, const std::string& file);
  /// Messages and computing: of the base, or guesses.
  void set_costs();
  std::string text(const std::string& name, const std::string& description) const;

 private:
  /// hwloc's node beside what others say of it.
  void compare_with_node(const NodeParts& said, const std::string& source);
  void set_guessed_costs();
  bool has_base() const { return !request_.base.empty(); }
  void set_nics(const Cabling& cabling, const std::vector<double>& ports);

  const SiteRequest& request_;
  const Sources& sources_;
  const MeasuredLevels& levels_;
  SiteMachine& result_;
  nlohmann::ordered_json machine_;
  double switch_latency_seconds_;
};

}  // namespace tutti
