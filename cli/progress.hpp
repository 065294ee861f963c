#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tutti::cli {

/// Progress of long work on stderr: a bar with an estimate of the time left on a terminal, a plain line every ten
/// seconds otherwise. Not thread-safe.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  void update(std::size_t done, std::size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point started_ = Clock::now(), printed_ = started_;
  bool terminal_, drawn_ = false;
};

}  // namespace tutti::cli
