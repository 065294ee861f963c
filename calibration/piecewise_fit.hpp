#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti {

struct CurvePoint {
  std::int64_t bytes;
  double seconds;  ///< above 0
};

/// constant + bytes * slope over the points first..last of the curve.
struct Piece {
  int first, last;
  double constant_seconds;
  double seconds_per_byte;
  bool slope_is_bound = false;  ///< the slope is the least allowed: the points alone would have it clearly smaller

  double seconds(std::int64_t bytes) const { return constant_seconds + static_cast<double>(bytes) * seconds_per_byte; }
};

/// What the machine around the curve allows.
struct PieceBounds {
  double least_constant_seconds = 0;  ///< what every message takes on links and cores
  double least_seconds_per_byte = 0;  ///< 1 / bandwidth of the narrowest link
};

/// The relative error that a measured time of this length is taken to have: 2 % (two campaigns of IMB on one machine
/// differ by about that) and the last digit that benchmarks print, 0.01 us.
double expected_relative_error(double seconds);

/// Fits pieces to a curve of at least two ascending sizes. Each piece minimises the sum of squared errors over expected
/// ones; which pieces, and how many, is found by dynamic programming over all break points, minimising that sum plus
/// 3 ln(points) per piece: the Bayesian information criterion with three parameters per piece (constant, slope, break),
/// so a piece has to earn its parameters. A piece has two points or more; from 64 KiB on one point is enough, because
/// there the least constant and the bandwidth at that size say all: times that grow faster than bytes, as when a cache
/// overflows, are followed that way. O(points^3) time. Deterministic.
std::vector<Piece> fit_pieces(std::span<const CurvePoint> curve, const PieceBounds& bounds);

}  // namespace tutti
