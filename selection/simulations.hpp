#pragma once

#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "models/machine.hpp"
#include "selection/candidates.hpp"
#include "selection/loads.hpp"
#include "selection/time_store.hpp"
#include "sim/engine.hpp"

namespace tutti {

/// The time of what an engine refused.
inline constexpr double kRefused = std::numeric_limits<double>::infinity();

/// One time that is asked for.
struct Query {
  Place place;
  std::int64_t bytes = 0;  // total
  Choice choice;
};

struct Time {
  double seconds = 0;     // kRefused where the engine does
  bool exceeded = false;  // it is more than that
};

/// What was simulated, and how long that took: processor time of this process, where an engine has none of its own.
struct SimulationCost {
  Simulated what;
  std::int64_t messages = 0;  // 0 where it is not simulated to its end
  double processor_seconds = 0;
};

/// Simulated times of one machine, mode and placement, beside the loads, each simulated once however often and by
/// however many threads it is asked for, and kept in the state, if there is one. What is answered depends on the
/// question alone: whoever decides by it decides the same on every run, interrupted or not. (Only of what SimGrid
/// refuses midway, for too many flows at once, is it answered that it exceeds a limit or that it is refused, by who
/// asked first.) Thread-safe.
class Simulations {
 public:
  /// The machine must outlive this; `state` may be nullptr, else it must outlive this too.
  Simulations(const Machine& machine, Mode mode, std::string placement, TimeStore* state, Loads loads = {});
  /// Told of every simulation from now on, by one thread at a time.
  void report_to(std::function<void(const SimulationCost&)> observer) { observer_ = std::move(observer); }

  /// One time per query, what counts of those beside the loads: of those of more than `most_seconds`, only that they
  /// exceed it. Throws what the engine throws.
  std::vector<Time> times(const std::string& engine, std::span<const Query> queries,
                          double most_seconds = std::numeric_limits<double>::infinity());
  /// One time, whatever it is.
  double seconds(const std::string& engine, const Query& query) { return times(engine, {&query, 1}).front().seconds; }

  /// Beside each of the loads, in order.
  std::vector<double> seconds_beside_each(const std::string& engine, const Query& query);

  /// How many times this thread has simulated, for whichever sweep.
  static std::size_t simulated_by_this_thread();

  /// Whether the state knew anything at the start.
  bool goes_on() const { return goes_on_; }
  const Machine& machine() const { return machine_; }
  /// Of which only the first nodes are there, among which are those of the place.
  const Machine& machine(const Place& place);
  const Mode& mode() const { return mode_; }
  const Loads& loads() const { return loads_; }
  std::vector<int> cores(const Place& place) const;
  Places places(const Place& place) const;
  /// What the algorithm that runs declares.
  std::optional<Counts> counts(const Query& query) const;
  /// 0 for an algorithm that is not registered.
  double messages(const Query& query) const {
    const std::optional<Counts> declared = counts(query);
    return declared ? declared->messages : 0;
  }

 private:
  using Key = std::tuple<std::string, Place, std::int64_t, std::string, std::string>;
  using Answer = std::shared_future<Time>;
  const Machine& first_nodes_of(std::span<const int> cores);
  const Engine& engine_named(const std::string& name);
  std::vector<Time> times_beside(const Load& load, const std::string& engine, std::span<const Query> queries,
                                 double most_seconds);
  Experiment experiment(const Load& load, const Query& query, double most_seconds) const;
  void simulate(const Load& load, const std::string& engine, std::span<const Query> queries, double most_seconds,
                std::span<std::promise<Time>> answers);

  const Machine& machine_;
  Mode mode_;
  std::string placement_;
  Loads loads_;
  TimeStore* state_;
  bool goes_on_ = false;
  std::function<void(const SimulationCost&)> observer_;
  std::mutex mutex_;  // of all below
  std::map<int, Machine> machines_;
  std::map<std::string, std::unique_ptr<Engine>> engines_;
  std::map<Key, Answer> known_;
};

}  // namespace tutti
