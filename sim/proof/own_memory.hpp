#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <exception>

namespace tutti::proof {

/// Tells an algorithm that takes memory without end from a proof whose own vectors and messages are too large: by what
/// the process grows while the algorithm's own code runs. Measures only where a limit is set, since it asks the system
/// at each change between the two.
class OwnMemory {
 public:
  /// Of the process, in bytes.
  void set_limit(std::size_t bytes) {
    limit_ = bytes;
    before_ = peak();
  }

  class [[nodiscard]] Guard {
   public:
    Guard(OwnMemory& memory, bool of_algorithm)
        : memory_(memory),
          before_(memory.algorithm_runs_),
          thrown_(memory.limit_ == 0 ? 0 : std::uncaught_exceptions()) {
      memory_.now_runs(of_algorithm);
    }
    ~Guard() {
      if (memory_.limit_ == 0) return;
      if (!memory_.algorithm_runs_ && std::uncaught_exceptions() > thrown_) memory_.proof_threw_ = true;
      memory_.now_runs(before_);
    }
    Guard(const Guard&) = delete;

   private:
    OwnMemory& memory_;
    bool before_;
    int thrown_;
  };
  /// While it lives the algorithm's code runs; the proof's, which the algorithm has called.
  Guard algorithm_runs() { return {*this, true}; }
  Guard proof_runs() { return {*this, false}; }

  void begin_case() { proof_threw_ = false; }
  /// An allocation has failed in one of the algorithm's calls: whether the algorithm took the memory, or asked for more
  /// than there is. What it asked for and never touched does not show in what it took.
  bool is_to_blame() const {
    if (limit_ == 0) return false;
    const std::size_t others = peak() - before_ - own_;
    return own_ > limit_ / 2 || (!proof_threw_ && others < limit_ / 4);
  }

 private:
  static std::size_t peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) << 10;
  }
  void now_runs(bool algorithm) {
    if (limit_ == 0 || algorithm == algorithm_runs_) return;
    algorithm_runs_ = algorithm;
    const std::size_t now = peak();
    if (algorithm)
      since_ = now;
    else
      own_ += now - since_;
  }

  std::size_t limit_ = 0, before_ = 0, since_ = 0, own_ = 0;
  bool algorithm_runs_ = false, proof_threw_ = false;
};

}  // namespace tutti::proof
