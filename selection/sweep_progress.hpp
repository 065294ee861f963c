#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/forecast.hpp"

namespace tutti {

/// Says how much is done of a sweep, by the processor time that its steps take, that of processes which they start
/// among it: what others run beside it changes how fast it goes on, not how much is left. Thread-safe but for expect()
/// and change().
class SweepProgress {
 public:
  /// `part` says how much of all the work is done, from 0 to 1, if asked before this returns: it takes its time.
  using Callback = std::function<void(std::size_t done, std::size_t total, const std::function<double()>& part)>;
  /// `progress` may be empty; it is called by one thread at a time.
  explicit SweepProgress(Callback progress);

  /// Returns the number of the step (sweep_forecast.hpp).
  std::size_t expect(Forecast::Item step) { return forecast_.add(std::move(step)); }
  /// Before such a step is begun.
  void change(std::size_t number, Forecast::Item step) { forecast_.change(number, std::move(step)); }
  /// Does the step of that number; `work` returns whether it took as long as such steps do (Forecast::done). Returns
  /// the processor seconds.
  double step(std::size_t number, const std::function<bool()>& work);

 private:
  const Callback progress_;
  std::mutex mutex_;
  Forecast forecast_;
  double children_seconds_;  // of processes that ended: what belongs to steps that are done
};

}  // namespace tutti
