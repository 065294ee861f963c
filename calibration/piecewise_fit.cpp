#include "calibration/piecewise_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tutti {
namespace {

constexpr double relative_error = 0.02;
constexpr double printed_digit_seconds = 1e-8;
constexpr std::int64_t single_point_bytes = 64 * 1024;
/// A slope this near to its bound is the bound's: links are as wide as measured, in rounded figures.
constexpr double bound_tolerance = 1e-3;

struct ScoredPiece {
  Piece piece;
  double cost;  ///< sum of squared errors over expected ones
};

/// Weighted least squares of two parameters inside bounds. The problem is convex, so where the free optimum is out of
/// bounds the best is on an edge, and of one edge's parameter the nearest allowed one.
class PieceFitter {
 public:
  PieceFitter(std::span<const CurvePoint> curve, const PieceBounds& bounds) : curve_(curve), bounds_(bounds) {
    for (const CurvePoint& point : curve)
      weights_.push_back(std::pow(point.seconds * expected_relative_error(point.seconds), -2));
  }

  bool allows(int first, int last) const { return first < last || curve_[first].bytes >= single_point_bytes; }

  ScoredPiece fit(int first, int last) const {
    double w = 0, wn = 0, wt = 0;
    for (int i = first; i <= last; ++i) {
      w += weights_[i], wn += weights_[i] * bytes(i), wt += weights_[i] * curve_[i].seconds;
    }
    const double mean_bytes = wn / w, mean_seconds = wt / w;
    double variance = 0, covariance = 0, bytes_squared = 0, bytes_seconds = 0;
    for (int i = first; i <= last; ++i) {
      const double n = bytes(i), t = curve_[i].seconds;
      variance += weights_[i] * (n - mean_bytes) * (n - mean_bytes);
      covariance += weights_[i] * (n - mean_bytes) * (t - mean_seconds);
      bytes_squared += weights_[i] * n * n;
      bytes_seconds += weights_[i] * n * (t - bounds_.least_constant_seconds);
    }
    const double edge_slope = bytes_seconds / bytes_squared;
    const ScoredPiece least_constant =
        score({first, last, bounds_.least_constant_seconds, std::max(edge_slope, bounds_.least_seconds_per_byte),
               is_below_bound(edge_slope)});
    if (first == last) return least_constant;
    const double slope = covariance / variance, constant = mean_seconds - slope * mean_bytes;
    if (slope >= bounds_.least_seconds_per_byte && constant >= bounds_.least_constant_seconds)
      return score({first, last, constant, slope});
    const double edge_constant = mean_seconds - bounds_.least_seconds_per_byte * mean_bytes;
    const ScoredPiece least_slope = score({first, last, std::max(edge_constant, bounds_.least_constant_seconds),
                                           bounds_.least_seconds_per_byte, is_below_bound(slope)});
    return least_slope.cost < least_constant.cost ? least_slope : least_constant;
  }

 private:
  bool is_below_bound(double slope) const { return slope < bounds_.least_seconds_per_byte * (1 - bound_tolerance); }
  double bytes(int i) const { return static_cast<double>(curve_[i].bytes); }

  ScoredPiece score(const Piece& piece) const {
    double cost = 0;
    for (int i = piece.first; i <= piece.last; ++i) {
      const double error = piece.seconds(curve_[i].bytes) - curve_[i].seconds;
      cost += weights_[i] * error * error;
    }
    return {piece, cost};
  }

  std::span<const CurvePoint> curve_;
  PieceBounds bounds_;
  std::vector<double> weights_;
};

}  // namespace

double expected_relative_error(double seconds) {
  const double rounding = printed_digit_seconds / std::sqrt(12.0) / seconds;
  return std::hypot(relative_error, rounding);
}

std::vector<Piece> fit_pieces(std::span<const CurvePoint> curve, const PieceBounds& bounds) {
  const int count = static_cast<int>(curve.size());
  if (count < 2) throw std::invalid_argument("a piecewise fit needs two points or more");
  const PieceFitter fitter(curve, bounds);
  const double penalty = 3 * std::log(count);

  // best[n]: the least cost of the first n points, and the piece that ends there.
  struct Best {
    double cost = std::numeric_limits<double>::infinity();
    Piece last{};
  };
  std::vector<Best> best(count + 1);
  best[0].cost = 0;
  for (int end = 1; end <= count; ++end)
    for (int begin = 0; begin < end; ++begin) {
      if (!std::isfinite(best[begin].cost) || !fitter.allows(begin, end - 1)) continue;
      const ScoredPiece scored = fitter.fit(begin, end - 1);
      const double cost = best[begin].cost + scored.cost + penalty;
      if (cost < best[end].cost) best[end] = {cost, scored.piece};
    }

  std::vector<Piece> pieces;
  for (int end = count; end > 0; end = pieces.back().first) pieces.push_back(best[end].last);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace tutti
