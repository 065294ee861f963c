#pragma once

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace tutti {

/// How a rank waits: it polls, and lets others run after a number of fruitless polls, at once where there are more
/// ranks than cores they may run on. Among ranks a yield is the fastest hand-over there is (a microsecond); where
/// strangers wait for the core too, each of them has a whole turn now and then: after a second yield that took that
/// long and brought nothing the rank sleeps a few times instead, for who sleeps is let in again soon.
class WaitPolicy {
 public:
  WaitPolicy() = default;
  static WaitPolicy for_ranks(int local_ranks, int usable_cores) {
    return local_ranks > usable_cores ? after(1) : WaitPolicy();
  }
  static WaitPolicy after(std::uint32_t polls) {
    WaitPolicy policy;
    policy.polls_before_yield_ = polls;
    return policy;
  }
  std::uint32_t polls_before_yield() const { return polls_before_yield_; }

  /// There are more ranks than cores.
  bool is_crowded() const { return polls_before_yield_ == 1; }

  /// A moment, in which the core that fills the line that is polled for may keep it.
  static void relax() {
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
  }

  /// After each poll that moved nothing, the `fruitless`-th in a row. `patient`: what is waited for comes from other
  /// cores, sooner perhaps than a yield and the way back take. True if others were let run.
  bool pause(std::uint32_t fruitless, bool patient) {
    if (fruitless < (patient ? std::max(polls_before_yield_, kPatientPolls) : polls_before_yield_)) {
      if (fruitless >= kPollsAtOnce) relax();
      return false;
    }
    if (fruitless == fruitless_after_turn_) sleeps_left_ = kSleeps;
    fruitless_after_turn_ = 0;
    if (sleeps_left_ > 0) {
      --sleeps_left_;
      sleep_shortly();
      return true;
    }
    const bool again = fruitless == fruitless_after_yield_;
    fruitless_after_yield_ = fruitless + 1;
    if (!again) {  // mostly it brings what is waited for: then the clock would have cost more than it tells
      sched_yield();
      return true;
    }
    const auto begin = std::chrono::steady_clock::now();
    sched_yield();
    if (std::chrono::steady_clock::now() - begin > kTurn) fruitless_after_turn_ = fruitless + 1;
    return true;
  }

 private:
  static constexpr std::uint32_t kPollsAtOnce = 8;
  static constexpr std::uint32_t kPatientPolls = 20;  // about what a yield takes
  static constexpr int kSleeps = 16;
  static constexpr std::chrono::microseconds kTurn{500};
  /// The system may be 50 microseconds late, but not where it is told otherwise: then a sleep takes some 20.
  static void sleep_shortly() {
    const int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1);
    std::this_thread::sleep_for(std::chrono::microseconds(1));
    prctl(PR_SET_TIMERSLACK, slack);
  }
  std::uint32_t polls_before_yield_ = 1u << 14;
  // If the next pause has this number, nothing came with the last yield, or during a long turn.
  std::uint32_t fruitless_after_yield_ = 0, fruitless_after_turn_ = 0;
  int sleeps_left_ = 0;
};

}  // namespace tutti
