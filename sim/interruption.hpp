#pragma once

#include <atomic>
#include <stdexcept>

namespace tutti {

/// What a simulation throws that was interrupted.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While it lives, simulations of this thread stop soon once `stop` is true, which any thread may set: they throw
/// Interrupted. Not copied; the last one made on a thread counts.
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>& stop);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;

 private:
  const std::atomic<bool>* before_;
};

/// Whether this thread is to stop: for the engines. Takes a nanosecond.
bool interrupted();

}  // namespace tutti
