#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/machine.hpp"

namespace tutti {

/// By which factors the time of a call can change where all its sizes do, from one size of the call to another: those
/// of the message, copy or reduction whose cost changes least, and most. A call takes as long as the longest chain of
/// such operations, and shares of contended links scale with the sizes, so that the call's time lies between.
class SizeScaling {
 public:
  /// `bytes` ascending; `distances` are those that messages travel.
  SizeScaling(const Machine& machine, const std::vector<Distance>& distances, std::vector<std::int64_t> bytes);

  struct Factors {
    double least = 0, most = 0;
  };
  /// From size index `from` to `to`. From nothing to something: nothing is known but that it takes no less.
  const Factors& between(std::size_t from, std::size_t to) const { return factors_[from * bytes_.size() + to]; }
  const std::vector<std::int64_t>& bytes() const { return bytes_; }
  /// Whether some of what the call takes for itself may be fresh memory, from which size on depends on the algorithm.
  bool may_take_fresh_memory(std::size_t i) const { return bytes_[i] >= fresh_from_bytes_; }

 private:
  std::vector<std::int64_t> bytes_;
  std::int64_t fresh_from_bytes_;  // an algorithm takes no piece of more than twice the call's bytes
  std::vector<Factors> factors_;
};

/// What is known of a time.
struct Range {
  double lower = 0, upper = std::numeric_limits<double>::infinity();
};

/// So much of the lower bounds that sizes give each other is trusted: the messages of a call are not all of its mean
/// length, so that segments end and caches fill at other sizes than it tells. With more of it, choices were
/// missed beside brute force (tests/selection/harmless.py).
inline constexpr double kLowerHolds = 0.85;

/// What is known of one choice's time over the sizes of a place: at each size, two bounds.
///   - a simulated size bounds every other by SizeScaling, from below by kLowerHolds of it;
///   - between two simulated sizes at most four times apart, where no memory is fresh, a time that is the longest of
///     many chains, each linear in the size, is convex: it lies below the chord and above kLowerHolds of the chords
///     beside it, prolonged. Where those contradict each other, the protocol changes in between, and only the first
///     holds;
///   - a size that is known to take longer than something bounds others as a simulated one does, from below.
class TimeCurve {
 public:
  /// What runs at a size. Only sizes of the same, with the same protocol, tell of each other.
  struct Piece {
    int algorithm = -1;            // -1: the choice does not run
    std::vector<bool> waited_for;  // at which distances senders wait, and for what
  };

  /// `lower`: bounds known beforehand. `scaling` must outlive this.
  TimeCurve(const SizeScaling& scaling, std::vector<double> lower, std::vector<Piece> pieces);

  bool runs(std::size_t i) const { return pieces_[i].algorithm >= 0; }
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
  std::vector<double> floor_;  // the bounds known beforehand
  std::vector<Piece> pieces_;
  std::vector<std::optional<double>> known_;
  std::vector<double> error_;
  std::vector<double> more_than_;  // 0: nothing is known
  std::vector<double> lower_, upper_;
};

}  // namespace tutti
