#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

namespace tutti::cli {

/// Progress of long work on stderr: a bar with an estimate of the time left on a terminal, a plain line every ten
/// seconds otherwise. Not thread-safe.
class Progress {
 public:
  /// "proving", "cases".
  Progress(std::string what, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  /// `part` of all work is done, from which follows what is left: things differ in how long they take.
  void update(std::size_t done, std::size_t total, double part);
  void update(std::size_t done, std::size_t total) {
    update(done, total, static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_, unit_;
  Clock::time_point started_ = Clock::now(), printed_ = started_;
  bool terminal_, drawn_ = false;
};

}  // namespace tutti::cli
