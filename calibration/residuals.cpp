#include "calibration/residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tutti {
namespace {

constexpr double spread_to_doubt = 1.5;
constexpr std::size_t worst_shown = 3;

std::vector<double> absolute_errors(const DistanceResiduals& one) {
  std::vector<double> errors;
  for (const Residual& row : one.rows) errors.push_back(std::abs(row.error()));
  return errors;
}

std::string eager_limit_text(const DistanceResiduals& one) {
  if (one.switches.empty()) return "no eager limit found";
  const ProtocolSwitch& best = one.switches.front();
  std::string text =
      fmt::format("eager limit between {} and {} bytes ({:+.0f} % there, {:.0f} % of the curves agree)",
                  best.last_eager_bytes, best.first_rendezvous_bytes, best.jump * 100, best.support * 100);
  for (std::size_t i = 1; i < one.switches.size(); ++i)
    text += fmt::format("{}{} ({:+.0f} %)", i == 1 ? "; weaker candidates: " : ", ", one.switches[i].last_eager_bytes,
                        one.switches[i].jump * 100);
  return text;
}

std::vector<const Residual*> worst_first(const DistanceResiduals& one) {
  std::vector<const Residual*> rows;
  for (const Residual& row : one.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Residual* a, const Residual* b) { return std::abs(a->error()) > std::abs(b->error()); });
  return rows;
}

void format_distance(const DistanceResiduals& one, std::back_insert_iterator<std::string> out) {
  fmt::format_to(out, "\n{}: median error {:.1f} %, worst {:.1f} %, {} sizes, {} curves, {} segments\n",
                 to_string(one.distance), one.median_error() * 100, one.worst_error() * 100, one.rows.size(),
                 one.curves, one.transport.segments.size());
  for (const std::string& file : one.files) fmt::format_to(out, "  from {}\n", file);
  fmt::format_to(out, "  {}\n", eager_limit_text(one));
  fmt::format_to(out, "{:>12} {:>12} {:>12} {:>8} {:>12} {:>12} {:>9}\n", "bytes", "measured_us", "model_us", "error_%",
                 "p10_us", "p90_us", "single_%");
  double widest = 1;
  for (const Residual& row : one.rows) {
    const DistancePoint& measured = row.measured;
    widest = std::max(widest, measured.p90_seconds / measured.p10_seconds);
    fmt::format_to(out, "{:>12} {:>12.3f} {:>12.3f} {:>+8.1f} {:>12.3f} {:>12.3f} {:>+9.1f}\n", measured.bytes,
                   measured.median_seconds * 1e6, row.model_seconds * 1e6, row.error() * 100,
                   measured.p10_seconds * 1e6, measured.p90_seconds * 1e6, row.worst_single_error() * 100);
  }
  const auto worst = worst_first(one);
  out = std::copy_n("  worst: ", 9, out);
  for (std::size_t i = 0; i < std::min(worst_shown, worst.size()); ++i)
    fmt::format_to(out, "{}{} bytes {:+.1f} %", i == 0 ? "" : ", ", worst[i]->measured.bytes, worst[i]->error() * 100);
  if (one.curves == 1)
    fmt::format_to(out, "\n  one curve only: its scatter is not known\n");
  else
    fmt::format_to(out,
                   "\n  single curves scatter by up to a factor {:.2f} (p90 / p10); single_% is the one farthest off\n",
                   widest);
  if (widest > spread_to_doubt)
    fmt::format_to(out, "  they fall apart: are they all at this distance, on one system?\n");
  for (const auto& [figure, reason] : one.unidentified) fmt::format_to(out, "  {}: {}\n", figure, reason);
}

nlohmann::json distance_json(const DistanceResiduals& one) {
  nlohmann::json json{{"distance", to_string(one.distance)},
                      {"from_core", one.cores.first},
                      {"to_core", one.cores.second},
                      {"files", one.files},
                      {"curves", one.curves},
                      {"median_error", one.median_error()},
                      {"worst_error", one.worst_error()}};
  json["unidentified"] = nlohmann::json::array();
  for (const auto& [figure, reason] : one.unidentified)
    json["unidentified"].push_back({{"figure", figure}, {"reason", reason}});
  json["eager_limit_bytes"] = nullptr;
  if (one.transport.eager_limit_bytes != std::numeric_limits<std::int64_t>::max())
    json["eager_limit_bytes"] = one.transport.eager_limit_bytes;
  json["eager_limit_found"] = !one.switches.empty();
  json["rendezvous_seconds"] = one.transport.rendezvous_seconds;
  json["protocol_switches"] = nlohmann::json::array();
  for (const ProtocolSwitch& found : one.switches)
    json["protocol_switches"].push_back({{"last_eager_bytes", found.last_eager_bytes},
                                         {"first_rendezvous_bytes", found.first_rendezvous_bytes},
                                         {"jump", found.jump},
                                         {"support", found.support}});
  json["rows"] = nlohmann::json::array();
  for (const Residual& row : one.rows)
    json["rows"].push_back({{"bytes", row.measured.bytes},
                            {"measured_seconds", row.measured.median_seconds},
                            {"model_seconds", row.model_seconds},
                            {"error", row.error()},
                            {"p10_seconds", row.measured.p10_seconds},
                            {"p90_seconds", row.measured.p90_seconds},
                            {"worst_single_error", row.worst_single_error()},
                            {"values", row.measured.values}});
  return json;
}

}  // namespace

double Residual::worst_single_error() const {
  const double low = model_seconds / measured.greatest_seconds - 1, high = model_seconds / measured.least_seconds - 1;
  return -low > high ? low : high;
}

double DistanceResiduals::median_error() const { return quantile(absolute_errors(*this), 0.5); }

double DistanceResiduals::worst_error() const { return quantile(absolute_errors(*this), 1); }

std::string format_residuals(const CalibrationReport& report) {
  std::string text = fmt::format("{} from {}\n", report.machine, report.base);
  std::vector<const DistanceResiduals*> sorted;
  for (const DistanceResiduals& one : report.distances) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(), [](const DistanceResiduals* a, const DistanceResiduals* b) {
    return a->worst_error() > b->worst_error();
  });
  for (const DistanceResiduals* one : sorted) format_distance(*one, std::back_inserter(text));
  if (!report.contradictions.empty()) text += "\ncontradictions\n";
  for (const std::string& line : report.contradictions) text += "  " + line + "\n";
  if (!report.notes.empty()) text += "\nnotes\n";
  for (const std::string& note : report.notes) text += "  " + note + "\n";
  return text;
}

nlohmann::json residuals_json(const CalibrationReport& report) {
  nlohmann::json json{{"machine", report.machine},
                      {"machine_checksum", report.figures},
                      {"base", report.base},
                      {"contradictions", report.contradictions},
                      {"notes", report.notes}};
  json["classes"] = nlohmann::json::array();
  for (const DistanceResiduals& one : report.distances) json["classes"].push_back(distance_json(one));
  return json;
}

}  // namespace tutti
