#pragma once

#include <signal.h>

namespace tutti {

/// The signals that a launcher waits for or passes on, as something to read rather than as interrupts.
class Signals {
 public:
  /// Throws TeamError.
  Signals();
  Signals(const Signals&) = delete;
  ~Signals();
  /// As it was before; also for a child that becomes a program.
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  /// Readable when one has come, or a child has ended.
  int descriptor() const { return descriptor_; }
  /// The next that somebody sent; 0: none. That a child has ended is found out otherwise.
  int next() const;

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace tutti
