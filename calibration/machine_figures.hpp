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
  /// A share, which may be 0 in the base: what a factor divides is the rest of it, 1 - share, and so are the deviation
  /// and the factor above.
  bool of_the_rest = false;
};

/// What is seen in the measurements that a machine is fitted to.
struct FittedJobs {
  bool inside_nodes = false;          ///< several ranks on a node
  bool small = false, large = false;  ///< of as many ranks as the machine's own transports are for; of more
  bool cables = false;                ///< enough of them load the fabric to tell what each level of cables has
};

/// The figures of `machine` that times of collectives of such jobs depend on. A figure that is 0 or left out is no
/// figure: the machine lacks that ingredient. But for the share of detours, which adaptive routing always has.
std::vector<FittedFigure> fitted_figures(const nlohmann::ordered_json& machine, const FittedJobs& jobs);

/// 0 where it is left out.
double figure_value(const nlohmann::ordered_json& machine, const FittedFigure& figure);
/// What the figure of `machine` becomes by a factor of which this is the logarithm.
double moved_value(const nlohmann::ordered_json& machine, const FittedFigure& figure, double logarithm);
/// Six digits; whole ones rounded to the nearest number of bytes.
void set_figure(nlohmann::ordered_json& machine, const FittedFigure& figure, double value);

}  // namespace tutti
