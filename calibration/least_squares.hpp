#pragma once

#include <functional>
#include <span>
#include <vector>

namespace tutti {

/// One unknown, in logarithms: what is looked for is a factor on a known figure. The prior is normal around 0.
struct Unknown {
  double prior_deviation;
  double most;  ///< the logarithm stays in [-most, most]
};

struct LeastSquares {
  std::vector<double> x;       ///< the logarithms
  double objective = 0;        ///< of data and priors, at x
  std::vector<double> effect;  ///< of each unknown: the largest change of a residual, in its own unit, per unit of x
  /// Of each unknown, after the fit, where the residuals' errors are as large as assumed.
  std::vector<double> deviation;
};

/// Minimises the sum of huber(residual / tolerance) over data and priors by Levenberg's and Marquardt's method
/// (Nocedal, Wright: Numerical Optimization, 2006, section 10.3); residuals beyond twice the tolerance count linearly
/// (Huber 1964), so that a few wrong data do not decide. Derivatives are forward differences at the start and the end,
/// and where a step fails; between, each step corrects them (Broyden 1965), as `residuals` is dear. `residuals` gives
/// as many at any x. Deterministic. Ends after `most_steps` accepted steps, or when two in a row gain less than a
/// hundredth. `after_step` is told x after each of these steps.
LeastSquares minimise(const std::function<std::vector<double>(std::span<const double>)>& residuals,
                      std::span<const Unknown> unknowns, std::vector<double> start, double tolerance, int most_steps,
                      const std::function<void(std::span<const double>)>& after_step = {});

/// The objective that minimise() lowers.
double robust_objective(std::span<const double> residuals, std::span<const double> x, std::span<const Unknown> unknowns,
                        double tolerance);

}  // namespace tutti
