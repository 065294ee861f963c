#include "calibration/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

constexpr double huber_limit = 2;   // in tolerances
constexpr double difference = 0.1;  // coarse, as simulated times have small steps of their own

double huber(double normalised) {
  const double size = std::abs(normalised);
  return size <= huber_limit ? size * size / 2 : huber_limit * (size - huber_limit / 2);
}
double weight(double normalised) {
  const double size = std::abs(normalised);
  return size <= huber_limit ? 1 : huber_limit / size;
}

}  // namespace

double robust_objective(std::span<const double> residuals, std::span<const double> x, std::span<const Unknown> unknowns,
                        double tolerance) {
  double sum = 0;
  for (const double residual : residuals) sum += huber(residual / tolerance);
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow(x[i] / unknowns[i].prior_deviation, 2) / 2;
  return sum;
}

LeastSquares minimise(const std::function<std::vector<double>(std::span<const double>)>& residuals,
                      std::span<const Unknown> unknowns, std::vector<double> start, double tolerance, int most_steps,
                      const std::function<void(std::span<const double>)>& after_step) {
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  LeastSquares best;
  best.x = std::move(start);
  std::vector<double> at = residuals(best.x);
  best.objective = robust_objective(at, best.x, unknowns, tolerance);
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(at.size()), n);
  Eigen::MatrixXd normal(n, n);
  const auto set_normal = [&] {
    normal.setZero();
    for (Eigen::Index j = 0; j < jacobian.rows(); ++j)
      normal += weight(at[j] / tolerance) / (tolerance * tolerance) * jacobian.row(j).transpose() * jacobian.row(j);
    for (Eigen::Index i = 0; i < n; ++i) normal(i, i) += 1 / std::pow(unknowns[i].prior_deviation, 2);
  };
  bool exact = false;  // the derivatives are differences at best.x
  const auto differentiate = [&] {
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto u = static_cast<std::size_t>(i);
      std::vector<double> moved = best.x;
      const double step = moved[u] + difference > unknowns[u].most ? -difference : difference;
      moved[u] += step;
      const std::vector<double> there = residuals(moved);
      for (std::size_t j = 0; j < at.size(); ++j) jacobian(static_cast<Eigen::Index>(j), i) = (there[j] - at[j]) / step;
    }
    exact = true;
    set_normal();
  };

  double damping = 1e-2;
  differentiate();
  for (int steps = 0, small_gains = 0; steps < most_steps && small_gains < 2 && damping < 1e3;) {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(n);
    for (Eigen::Index j = 0; j < jacobian.rows(); ++j) {
      const double residual = at[j];
      gradient += weight(residual / tolerance) * residual / (tolerance * tolerance) * jacobian.row(j).transpose();
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto u = static_cast<std::size_t>(i);
      gradient(i) += best.x[u] / std::pow(unknowns[u].prior_deviation, 2);
    }
    Eigen::MatrixXd damped = normal;
    damped.diagonal() *= 1 + damping;
    const Eigen::VectorXd step = damped.ldlt().solve(-gradient);
    std::vector<double> next = best.x;
    for (std::size_t u = 0; u < next.size(); ++u)
      next[u] = std::clamp(next[u] + step(static_cast<Eigen::Index>(u)), -unknowns[u].most, unknowns[u].most);
    std::vector<double> there = residuals(next);
    const double objective = robust_objective(there, next, unknowns, tolerance);
    if (!(objective < best.objective)) {
      damping *= 8;
      if (!exact) differentiate();
      continue;
    }
    small_gains = best.objective - objective < 0.01 * best.objective ? small_gains + 1 : 0;
    Eigen::VectorXd moved(n), unexpected(jacobian.rows());
    for (Eigen::Index i = 0; i < n; ++i) moved(i) = next[i] - best.x[i];
    for (Eigen::Index j = 0; j < jacobian.rows(); ++j) unexpected(j) = there[j] - at[j];
    unexpected -= jacobian * moved;
    if (moved.squaredNorm() > 0) jacobian += unexpected * moved.transpose() / moved.squaredNorm();
    exact = false;
    best.x = std::move(next);
    best.objective = objective;
    at = std::move(there);
    damping = std::max(damping / 8, 1e-4);
    set_normal();
    ++steps;
    if (after_step) after_step(best.x);
  }
  if (!exact) differentiate();
  const Eigen::MatrixXd covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
  for (Eigen::Index i = 0; i < n; ++i) {
    best.effect.push_back(jacobian.rows() == 0 ? 0 : jacobian.col(i).cwiseAbs().maxCoeff());
    best.deviation.push_back(std::sqrt(covariance(i, i)));
  }
  return best;
}

}  // namespace tutti
