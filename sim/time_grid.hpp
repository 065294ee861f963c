#pragma once

#include <cmath>

namespace tutti {

/// To the nearest multiple of 2^-44 s (57 femtoseconds), so that rounding does not decide what happens first among
/// things that happen at one instant; after two minutes, to what a double can tell.
inline double on_grid(double seconds) {
  constexpr double kHalfUp = 1.5 * (1 << 8);
  return seconds + kHalfUp - kHalfUp;
}

/// When what begins then and takes so long is over.
inline double after(double begin_seconds, double seconds) {
  return seconds > 0 ? on_grid(begin_seconds + seconds) : begin_seconds;
}

/// To picoseconds: what the engines resolve. Without it, equal times would differ by the clock at which they were
/// taken.
inline double rounded(double seconds) { return std::round(seconds * 1e12) / 1e12; }

}  // namespace tutti
