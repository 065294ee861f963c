#pragma once

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

}  // namespace tutti
