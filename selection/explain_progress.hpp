#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "algos/registry.hpp"
#include "selection/fastest.hpp"
#include "selection/sweep_progress.hpp"

namespace tutti {

/// How much is done of explaining a call, all of its stages together: the search of the best of some choices, the run
/// of what a library picks, to its end, and both of these once more, with all their messages kept. Which choice is the
/// best, and so how long that takes, is known when the search is done; until then it is taken to be as large as the
/// mean of the best so far and of those that are left. Used by one thread.
class ExplainProgress {
 public:
  struct Stages {
    std::vector<Choice> choices;
    std::optional<Choice> picked;
    double most_recorded = 0;  // messages of a run that is recorded; 0: none is
  };
  /// `places` as in declared(), which are read here alone.
  ExplainProgress(const Case& c, Stages stages, const Places& places, SweepProgress::Callback progress);

  /// For the search, while this lives.
  Fastest::Watch watch();
  void run_picked(const std::function<void()>& work);
  enum class Recorded : std::uint8_t { best, picked };
  /// `work` returns whether there was something to record: not, say, where the picked one is the best.
  void record(Recorded which, const std::function<bool()>& work);

 private:
  Forecast::Item recorded(double messages) const;
  void foresee_best();
  double work_of(double messages) const;

  const Case case_;
  const Stages stages_;
  std::vector<double> messages_;  // of the choices
  double picked_messages_ = 0;
  std::vector<bool> left_;  // of the choices: still to be searched
  std::optional<std::size_t> best_;
  SweepProgress progress_;
  std::vector<std::size_t> searched_;  // numbers of steps, as those that follow
  std::optional<std::size_t> run_picked_;
  std::array<std::optional<std::size_t>, 2> recorded_;
};

}  // namespace tutti
