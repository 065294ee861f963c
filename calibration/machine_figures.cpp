#include "calibration/machine_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

// How far off the figures of a base machine may be, as a deviation of their logarithm: factors of 1.3, 2 and 3. The
// eager limit is no such figure, as it is a setting of the library, nor is the line rate of adapters. How fast messages
// may follow each other shows where many do; a ring and recursive doubling would take it for latency.
constexpr double near = 0.25, rough = 0.7, vague = 1.1;

void add(std::vector<FittedFigure>& figures, const Json& machine, const std::string& pointer, double deviation,
         bool whole = false) {
  const Json::json_pointer at(pointer);
  if (!machine.contains(at) || machine[at].get<double>() == 0) return;
  figures.push_back({pointer, deviation, std::exp(4 * deviation), whole});
}

void add_transports(std::vector<FittedFigure>& figures, const Json& machine, const std::string& transports,
                    bool inside_nodes) {
  for (const auto& [name, transport] : machine[Json::json_pointer(transports)].items()) {
    const bool network = name == "network";
    if (!network && !inside_nodes) continue;
    const std::string at = transports + "/" + name;
    for (const char* key :
         {"/send_overhead_seconds", "/receive_overhead_seconds", "/eager_copy_seconds_per_byte", "/rendezvous_seconds"})
      add(figures, machine, at + key, network ? rough : near);
    add(figures, machine, at + "/acknowledgement_seconds", rough);
    add(figures, machine, at + "/gap_seconds", near);
    const std::size_t segments = transport.contains("segments") ? transport["segments"].size() : 0;
    for (std::size_t i = 0; i < segments; ++i) {
      const std::string segment = fmt::format("{}/segments/{}", at, i);
      add(figures, machine, segment + "/latency_seconds", network ? rough : near);
      add(figures, machine, segment + "/bandwidth_bytes_per_second", network ? rough : near);
    }
    if (network) add(figures, machine, at + "/half_duplex_above_bytes", rough, true);
  }
}

/// Of cables, at any depth of the description of a network: of layers of a tree, inside groups, between them.
void add_cables(std::vector<FittedFigure>& figures, const Json& machine, const std::string& at) {
  const Json& here = machine[Json::json_pointer(at)];
  if (!here.is_structured()) return;
  if (here.contains("bandwidth_bytes_per_second")) {
    add(figures, machine, at + "/latency_seconds", rough);
    add(figures, machine, at + "/bandwidth_bytes_per_second", rough);
  }
  if (here.is_object() && here.contains("groups") && here.value("routing", "") == "adaptive" &&
      here.value("detour_share", 0.0) < 1)  // else nothing is left that a factor moves
    figures.push_back({at + "/detour_share", rough, std::exp(4 * rough), false, true});
  for (const auto& [key, inner] : here.items())
    if (inner.is_structured()) add_cables(figures, machine, at + "/" + key);
}

}  // namespace

std::vector<FittedFigure> fitted_figures(const Json& machine, const FittedJobs& jobs) {
  std::vector<FittedFigure> figures;
  if (jobs.small) add_transports(figures, machine, "/transport", jobs.inside_nodes);
  if (jobs.large && machine.contains("larger_jobs"))
    add_transports(figures, machine, "/larger_jobs/transport", jobs.inside_nodes);
  if (jobs.cables) add_cables(figures, machine, "/network");
  for (const auto& [kind, network] : machine["network"].items())  // cables between groups are of any length
    if (!jobs.cables && network.is_object() && network.contains("global"))
      add(figures, machine, "/network/" + kind + "/global/latency_seconds", rough);
  for (const char* rate : {"/compute/reduce", "/compute/copy"}) {
    add(figures, machine, rate + std::string("/seconds_per_byte"), rough);
    add(figures, machine, rate + std::string("/seconds_per_byte_out_of_cache"), near);
    add(figures, machine, rate + std::string("/cache_bytes"), rough, true);
  }
  add(figures, machine, "/compute/temporary/seconds_per_byte", vague);
  add(figures, machine, "/compute/temporary/registration_seconds", vague);
  add(figures, machine, "/compute/requests/seconds", vague);
  return figures;
}

double figure_value(const Json& machine, const FittedFigure& figure) {
  return machine.value(Json::json_pointer(figure.pointer), 0.0);
}

double moved_value(const Json& machine, const FittedFigure& figure, double logarithm) {
  const double base = figure_value(machine, figure);
  return figure.of_the_rest ? std::max(0.0, 1 - (1 - base) * std::exp(-logarithm)) : base * std::exp(logarithm);
}

void set_figure(Json& machine, const FittedFigure& figure, double value) {
  Json& place = machine[Json::json_pointer(figure.pointer)];
  if (figure.whole)
    place = std::llround(value);
  else
    place = std::stod(fmt::format("{:.6g}", value));
}

}  // namespace tutti
