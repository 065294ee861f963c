#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tutti {

/// A figure of a machine's JSON that a fit may change.
struct FittedFigure {
  std::string pointer;
  double prior_deviation;  ///< of its logarithm, around what the base says
  double most_factor;      ///< it stays within this factor of the base's figure
  bool whole = false;      ///< a number of bytes, at which costs jump: tried at a few values
};

/// The figures of `machine` that times of collectives between nodes, and inside nodes where `inside_nodes`, depend on.
/// A figure that is 0 or left out is no figure: the machine lacks that ingredient.
std::vector<FittedFigure> fitted_figures(const nlohmann::ordered_json& machine, bool inside_nodes);

double figure_value(const nlohmann::ordered_json& machine, const FittedFigure& figure);
/// Six digits; whole ones rounded to the nearest number of bytes.
void set_figure(nlohmann::ordered_json& machine, const FittedFigure& figure, double value);

}  // namespace tutti
