#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "base/forecast.hpp"
#include "selection/schedule.hpp"

namespace tutti {

/// The search of a place of a piece (sweep_plan.hpp). Such as are known from both sides take less time.
Forecast::Item search_item(const Chain& piece, std::size_t i);
/// A step of another kind, `what`, at a place with so many sizes; until such are done, they are expected to take
/// `ratio` times as long as a search there that is not known from both sides.
Forecast::Item step_item(const std::string& what, const Part& part, double ratio);
/// What is confirmed there, once it is known how many messages that takes.
Forecast::Item confirm_item(const Part& part, double messages);

/// Says how much is done of a sweep, by the processor time that its steps take, that of processes which they start
/// among it: what others run beside it changes how fast it goes on, not how much is left. Thread-safe but for expect()
/// and change().
class SweepProgress {
 public:
  /// `part` says how much of all the work is done, from 0 to 1, if asked before this returns: it takes its time.
  using Callback = std::function<void(std::size_t done, std::size_t total, const std::function<double()>& part)>;
  /// `progress` may be empty; it is called by one thread at a time.
  explicit SweepProgress(Callback progress);

  /// Returns its number.
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
