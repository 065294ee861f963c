#pragma once

#include <sched.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace tutti {

/// How a rank waits: it polls, and lets others run after a number of fruitless polls, soon where there are more ranks
/// than cores they may run on. Among ranks a yield is the fastest hand-over there is (a microsecond); where strangers
/// wait for the core too, each of them then has a whole turn: after a yield that took that long the rank sleeps
/// instead, for who sleeps is let in again soon.
class WaitPolicy {
 public:
  WaitPolicy() = default;
  static WaitPolicy for_ranks(int local_ranks, int usable_cores) {
    return local_ranks > usable_cores ? after(8) : WaitPolicy();
  }
  static WaitPolicy after(std::uint32_t polls) {
    WaitPolicy policy;
    policy.polls_before_yield_ = polls;
    return policy;
  }
  std::uint32_t polls_before_yield() const { return polls_before_yield_; }

  /// After each poll that moved nothing, the `fruitless`-th in a row.
  void pause(std::uint32_t fruitless) {
    if (fruitless < kPollsAtOnce) return;
    if (fruitless < polls_before_yield_) {
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
      return;
    }
    if (naps_left_ > 0) {
      --naps_left_;
      std::this_thread::sleep_for(std::chrono::microseconds(1));  // some 50 by the system's slack
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    sched_yield();
    if (std::chrono::steady_clock::now() - begin > std::chrono::microseconds(500)) naps_left_ = 64;
  }

 private:
  static constexpr std::uint32_t kPollsAtOnce = 8;
  std::uint32_t polls_before_yield_ = 1u << 14;
  int naps_left_ = 0;
};

}  // namespace tutti
