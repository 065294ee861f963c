#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "models/machine.hpp"
#include "selection/lower_bounds.hpp"
#include "sim/engine.hpp"

namespace tutti {

/// A choice and its simulated time.
struct TimedChoice {
  Choice choice;
  double seconds = 0;
};

/// The fastest choices on given cores of a machine. Only what no bound excludes is simulated, and given up as soon as
/// it is slower than the best known one; what is found is the same as by simulating all to their ends, of equally fast
/// ones the first. For any number of ranks anywhere. Used by one thread.
class Fastest {
 public:
  /// All must outlive it. `ppn`: the most ranks on a node.
  Fastest(const Engine& engine, const Machine& machine, Mode mode, std::vector<int> core_of_rank, int ppn);

  /// From now on there is another job beside, on these cores: every choice is simulated to its end.
  void put_beside(const Background& background, std::span<const int> cores);

  /// From now on ranks that come late do so by this seed, and processors are interrupted, if there is noise: every
  /// choice is then simulated to its end.
  void put_under(const std::optional<Noise>& noise, std::uint64_t seed);

  /// From now on `dealt_with` (may be empty) is called as soon as one of a search's choices is simulated, refused or
  /// excluded: as many times as there are choices.
  void watch(std::function<void()> dealt_with) { dealt_with_ = std::move(dealt_with); }

  /// One of `choices`, which must be able to run; of those that the engine refuses, what it says goes to refused().
  /// `first` (may be empty): likely to be the best, tried before the others. Throws InputError where all are refused.
  TimedChoice of(const Case& c, const std::vector<Choice>& choices, const std::vector<Choice>& first);
  /// The same of more than one: the `many` fastest, the best first; fewer where no more can run.
  std::vector<TimedChoice> best(const Case& c, const std::vector<Choice>& choices, const std::vector<Choice>& first,
                                std::size_t many);
  /// Of one choice. Throws InputError where the engine refuses it.
  double seconds(const Case& c, const Choice& choice);
  const std::set<std::string>& refused() const { return refused_; }

 private:
  Result result(const Case& c, const Choice& choice, double most_seconds);

  const Engine& engine_;
  const Machine& machine_;
  Mode mode_;
  std::vector<int> core_of_rank_;
  std::optional<Background> background_;
  std::optional<Noise> noise_;
  std::uint64_t seed_ = 1;
  std::optional<LowerBounds> bounds_;  // only where every node has as many ranks
  std::set<std::string> refused_;
  std::function<void()> dealt_with_;
};

}  // namespace tutti
