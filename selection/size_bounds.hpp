#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "selection/search_result.hpp"
#include "selection/size_scaling.hpp"

namespace tutti {

/// So much of the lower bounds that sizes give each other is trusted: the messages of a call are not all of its mean
/// length, so that segments end and caches fill at other sizes than it tells. With more of it, choices were
/// missed beside brute force (checks/harmless.py).
inline constexpr double kTrustedShare = 0.85;

/// What is known of one choice's time over the sizes of a place: at each size, two bounds.
///   - a simulated size bounds every other by SizeScaling, from below by kTrustedShare of it;
///   - between two simulated sizes at most four times apart, where no memory is fresh, a time that is the longest of
///     many chains, each linear in the size, is convex: it lies below the chord and above kTrustedShare of the chords
///     beside it, prolonged. Where those contradict each other, the protocol changes in between, and only the first
///     holds;
///   - a size that is known to take longer than something bounds others as a simulated one does, from below.
class SizeBounds {
 public:
  /// What runs at a size. Only sizes of the same, with the same protocol, tell of each other.
  struct Regime {
    int algorithm = -1;            // -1: the choice does not run
    std::vector<bool> waited_for;  // at which distances senders wait, and for what
    double messages = 0;           // of one segment: where an inner algorithm falls back, others are sent
  };

  /// `scaling` must outlive this.
  SizeBounds(const SizeScaling& scaling, std::vector<TimeBounds> beforehand, std::vector<Regime> regimes);

  bool runs(std::size_t i) const { return regimes_[i].algorithm >= 0; }
  /// Infinity: refused, of which nothing else follows. `error`: by so much of it, the time may be less or more.
  void set(std::size_t i, double seconds, double error = 0);
  void set_more_than(std::size_t i, double seconds);
  const std::optional<double>& known(std::size_t i) const { return known_[i]; }
  double lower(std::size_t i) const { return lower_[i]; }
  /// Infinite where nothing is known.
  double upper(std::size_t i) const { return upper_[i]; }
  /// Where sizes on either side were simulated that are at most four times apart: on the line between, as far as the
  /// bounds allow.
  std::optional<double> between_neighbours(std::size_t i) const;

 private:
  void narrow(std::size_t i);
  void narrow_by_convexity(std::size_t i);
  bool runs_alike(std::size_t i, std::size_t j) const;
  struct Neighbours {
    std::size_t before, after;
  };
  std::optional<std::size_t> neighbour(std::size_t i, int step) const;
  std::optional<Neighbours> near_neighbours(std::size_t i) const;
  double on_line(std::size_t a, std::size_t b, std::size_t i) const;

  const SizeScaling* scaling_;
  std::vector<TimeBounds> beforehand_;
  std::vector<Regime> regimes_;
  std::vector<std::optional<double>> known_;
  std::vector<double> error_;
  std::vector<double> more_than_;  // 0: nothing is known
  std::vector<double> lower_, upper_;
};

}  // namespace tutti
