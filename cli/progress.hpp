#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tutti::cli {

/// Progress of long work on stderr: a bar with an estimate of the time left on a terminal, a plain line every ten
/// seconds otherwise, also while one step takes long. Thread-safe.
class Progress {
 public:
  /// "proving", "cases".
  Progress(std::string what, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  /// `part` of all work is done, from which follows what is left: steps differ in how long they take. It is asked only
  /// where something is printed.
  void update(std::size_t done, std::size_t total, const std::function<double()>& part);
  /// All steps take about as long.
  void update(std::size_t done, std::size_t total) {
    update(done, total,
           [&] { return static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)); });
  }
  /// How long the steps that are left take nobody knows: there is no estimate.
  void count(std::size_t done, std::size_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void note(std::size_t done, std::size_t total, const std::function<std::optional<double>()>& part);
  void print(Clock::time_point now);
  std::string left(Clock::time_point now) const;
  void tick(const std::stop_token& ended);

  const std::string what_, unit_;
  const bool terminal_;
  const Clock::duration interval_;
  const Clock::time_point started_ = Clock::now();
  std::mutex mutex_;  // of what follows
  std::condition_variable_any ends_;
  Clock::time_point printed_ = started_, known_ = started_;  // when something was printed, and last updated
  std::size_t done_ = 0, total_ = 0;
  std::optional<double> part_ = 0;  // none: only counted
  bool drawn_ = false;
  std::jthread ticker_;  // ends before the rest
};

}  // namespace tutti::cli
