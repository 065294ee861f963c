#include <fmt/format.h>

#include "base/counted.hpp"
#include "calibration/collective_fit.hpp"
#include "models/figures_checksum.hpp"

namespace tutti {
namespace {

std::string stop_of(const CrossValidation& found) {
  if (!found.steps) return "as far as the fit goes, what is held back gets no worse in the mean";
  if (*found.steps == 0) return "with every step what is held back gets worse in the mean: the figures are the base's";
  return "stopped after " + counted(static_cast<std::uint64_t>(*found.steps), "step") +
         ": what came then made worse in the mean what is held back";
}

std::string format_cross_validation(const CrossValidation& found) {
  std::string text =
      fmt::format("\neach number of nodes, held back, as a fit to all others foretells it\n{:>10} {:>6} {:>16} {:>9}\n",
                  "nodes", "rows", "median error %", "before");
  for (const HeldBack& held : found.held_back)
    text += fmt::format("{:>10} {:>6} {:>16.1f} {:>9.1f}\n", held.nodes, held.rows, 100 * held.median_error,
                        100 * held.median_error_before);
  return text + stop_of(found) + "\n\n";
}

nlohmann::ordered_json cross_validation_json(const CrossValidation& found) {
  nlohmann::ordered_json json{{"steps", nullptr}, {"held_back", nlohmann::json::array()}};
  if (found.steps) json["steps"] = *found.steps;
  for (const HeldBack& held : found.held_back)
    json["held_back"].push_back({{"nodes", held.nodes},
                                 {"rows", held.rows},
                                 {"median_error", held.median_error},
                                 {"median_error_before", held.median_error_before}});
  return json;
}

}  // namespace

std::string format_fit(const CollectiveFit& fit) {
  std::string text = fmt::format(
      "{} rows fitted of {} in the file ({:.1f} %); median error {:.1f} %, before {:.1f} %\n\n", fit.rows.size(),
      fit.rows_in_file, 100.0 * static_cast<double>(fit.rows.size()) / static_cast<double>(fit.rows_in_file),
      100 * fit.median_error, 100 * fit.median_error_before);
  text += fmt::format("{:<58} {:>12} {:>12} {:>9} {:>9}\n", "figure", "base", "fitted", "+/- %", "effect %");
  for (const FigureReport& f : fit.figures)
    text += fmt::format("{:<58} {:>12.5g} {:>12.5g} {:>9.0f} {:>9.2f}{}\n", f.pointer, f.base, f.fitted,
                        100 * f.deviation, 100 * f.effect, f.identified ? "" : "  not identified");
  if (fit.cross_validation) text += format_cross_validation(*fit.cross_validation);
  text += "+/-: around this fit, by the rows' noise; from other starting points (--starts) it may end elsewhere\n";
  return text;
}

nlohmann::ordered_json fit_json(const CollectiveFit& fit) {
  nlohmann::ordered_json json{{"machine", nlohmann::json::parse(fit.machine_json)["name"]},
                              {"machine_checksum", figures_checksum(fit.machine_json)},
                              {"rows", fit.rows.size()},
                              {"rows_in_file", fit.rows_in_file},
                              {"median_error", fit.median_error},
                              {"median_error_before", fit.median_error_before},
                              {"figures", nlohmann::json::array()}};
  for (const FigureReport& f : fit.figures)
    json["figures"].push_back({{"figure", f.pointer},
                               {"base", f.base},
                               {"fitted", f.fitted},
                               {"deviation", f.deviation},
                               {"effect", f.effect},
                               {"identified", f.identified}});
  if (fit.cross_validation) json["cross_validation"] = cross_validation_json(*fit.cross_validation);
  return json;
}

}  // namespace tutti
