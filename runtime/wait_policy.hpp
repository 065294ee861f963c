#pragma once

#include <sched.h>

#include <cstdint>

namespace tutti {

/// How a rank waits: it polls, and lets others run after a number of fruitless polls, at once where there are more
/// ranks than cores they may run on.
struct WaitPolicy {
  std::uint32_t polls_before_yield = 1u << 14;
  /// After a fruitless millisecond it sleeps between polls: a yield lets everybody else have a whole turn, and who
  /// sleeps is let in again at once.
  bool sleeps = false;

  static WaitPolicy for_ranks(int local_ranks, int usable_cores) {
    const bool crowded = local_ranks > usable_cores;
    return {crowded ? 8u : 1u << 14, crowded};
  }
  void pause(std::uint32_t fruitless) const {
    if (fruitless >= polls_before_yield) {
      sched_yield();
      return;
    }
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
  }
};

}  // namespace tutti
