#pragma once

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
#include "selection/state.hpp"
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

/// Simulated times of one machine, mode and placement, each simulated once however often and by however many threads it
/// is asked for, and kept in the state, if there is one. What is answered depends on the question alone: whoever
/// decides by it decides the same on every run, interrupted or not. Thread-safe.
class Simulations {
 public:
  /// The machine must outlive this; `state` may be nullptr, else it must outlive this too.
  Simulations(const Machine& machine, Mode mode, std::string placement, SweepState* state);

  /// One time per query, kRefused where the engine does. Throws what the engine throws.
  std::vector<double> seconds(const std::string& engine, std::span<const Query> queries);
  double seconds(const std::string& engine, const Query& query) { return seconds(engine, {&query, 1}).front(); }

  const Machine& machine() const { return machine_; }
  const Mode& mode() const { return mode_; }
  std::vector<int> cores(const Place& place) const;

 private:
  using Key = std::tuple<std::string, Place, std::int64_t, std::string>;
  const Engine& engine_named(const std::string& name);
  void simulate(const std::string& engine, std::span<const Query> queries, std::span<std::promise<double>> answers);

  const Machine& machine_;
  Mode mode_;
  std::string placement_;
  SweepState* state_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Engine>> engines_;
  std::map<Key, std::shared_future<double>> known_;
};

}  // namespace tutti
