#pragma once

#include <cstdint>
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

}  // namespace tutti
