#pragma once

#include <algorithm>
#include <vector>

namespace tutti {

/// Counts rounds of the one-port model (registry.hpp) where ranks do not start together: each is told in which round
/// the rank has come so far.
class RoundClock {
 public:
  /// `taken`: whether what brought a rank here was a message that it took in.
  explicit RoundClock(const std::vector<int>& reached, bool taken = true) : now_(reached), next_(reached) {
    for (const int round : reached) took_in_.push_back(taken ? round : 0);
  }

  /// In this step `from` sends to `to`, which waits for that.
  void message(std::size_t from, std::size_t to) {
    int round = std::max(now_[from] + 1, now_[to]);
    if (round == took_in_[to]) ++round;
    took_in_[to] = round;
    next_[from] = std::max(next_[from], round);
    next_[to] = std::max(next_[to], round);
  }
  void exchange(std::size_t a, std::size_t b) {
    message(a, b);
    message(b, a);
  }
  /// All messages of the step are waited for.
  void wait() { now_ = next_; }
  /// The same of two ranks alone.
  void wait(std::size_t a, std::size_t b) {
    now_[a] = next_[a];
    now_[b] = next_[b];
  }

  const std::vector<int>& reached() const { return now_; }

 private:
  std::vector<int> now_, next_, took_in_;
};

/// When the ranks of a binomial broadcast with halving distances (bcast/calls.hpp) have passed on what they got, by
/// virtual rank; the root has it at the end of round `start`.
std::vector<int> halving_bcast_ends(int size, int start);

}  // namespace tutti
