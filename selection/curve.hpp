#pragma once

#include <cstdint>
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

 private:
  std::vector<std::int64_t> bytes_;
  std::vector<Factors> factors_;
};

/// What is known of one choice's time over the sizes of a place: at each size, two bounds.
///   - a simulated size bounds every other by SizeScaling;
///   - between two simulated sizes at most four times apart, a time that is the longest of many chains, each linear in
///     the size, is convex: it lies below the chord and above the chords beside it, prolonged. Where those contradict
///     each other, the protocol changes in between, and only the first holds.
class TimeCurve {
 public:
  /// `lower`: bounds known beforehand. `piece`: sizes of the same number >= 0 run the same algorithm, and only those
  /// tell of each other; -1: the choice does not run at that size. `scaling` must outlive this.
  TimeCurve(const SizeScaling& scaling, std::vector<double> lower, std::vector<int> piece);

  bool runs(std::size_t i) const { return piece_[i] >= 0; }
  /// Infinity: refused, of which nothing else follows.
  void set(std::size_t i, double seconds);
  const std::optional<double>& known(std::size_t i) const { return known_[i]; }
  double lower(std::size_t i) const { return lower_[i]; }
  /// Infinite where nothing is known.
  double upper(std::size_t i) const { return upper_[i]; }

 private:
  void narrow(std::size_t i);
  void narrow_by_convexity(std::size_t i);
  std::optional<std::size_t> neighbour(std::size_t i, int step) const;

  const SizeScaling* scaling_;
  std::vector<double> floor_;  // the bounds known beforehand
  std::vector<int> piece_;
  std::vector<std::optional<double>> known_;
  std::vector<double> lower_, upper_;
};

}  // namespace tutti
