#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "algos/comm.hpp"

namespace tutti {

/// Which messages are lost and sent again (Transport::retransmitted_share): of what a rank sends in one call every
/// 1/share-th. Where a rank begins to count differs from rank to rank by the golden ratio, so that of all messages of a
/// call the share is lost, rounded down, at places far apart, and neither a seed nor the order of events decides which.
class Retransmissions {
 public:
  explicit Retransmissions(std::size_t ranks) : counted_(ranks) {}
  void begin_call(Rank rank) { counted_[rank] = beginning(rank); }
  /// Whether the next message of the rank is lost.
  bool loses_next(Rank rank, double share) {
    double& counted = counted_[rank];
    counted += share;
    if (counted < 1) return false;
    counted -= 1;
    return true;
  }
  /// Whether any of so many messages that the rank sends in a call may be. (More than by counting one after the other,
  /// by what is rounded there.)
  static bool may_lose(Rank rank, double messages, double share) {
    return beginning(rank) + messages * share >= 1 - 1e-9;
  }

 private:
  static double beginning(Rank rank) {
    constexpr double kGoldenRatio = 0.6180339887498949;
    const double turns = (static_cast<double>(rank) + 1) * kGoldenRatio;
    return turns - std::floor(turns);
  }

  std::vector<double> counted_;  // of each rank, in turns from loss to loss
};

}  // namespace tutti
