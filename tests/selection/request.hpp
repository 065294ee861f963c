#pragma once

#include <mutex>

#include "selection/tune.hpp"

namespace tutti::test {

/// An engine that keeps what it was asked for. Its times grow with the ranks, and else depend on the choice, the size
/// and the background alone, such that no choice is best everywhere.
class NotingEngine final : public Engine {
 public:
  std::string name() const override { return "noting"; }
  std::vector<Result> run(const Machine&, std::span<const Experiment> experiments) const override {
    const std::lock_guard lock(mutex);
    std::vector<Result> results;
    for (const Experiment& e : experiments) {
      asked.push_back(e);
      if (asked.size() == fail_at) throw std::runtime_error("the engine died, as the test wants");
      Result result;
      const std::string text = e.choice.text() + (e.background ? e.background->text() : "");
      const double start = 1 + 0.1 * static_cast<double>(std::hash<std::string>()(text) % 64);
      const double slope = 64 / start;
      result.makespan_seconds = 1e-6 * e.c.ranks * (start + slope * static_cast<double>(total_bytes(e.c)) / 1024);
      results.push_back(result);
    }
    return results;
  }

  static inline std::mutex mutex;
  static inline std::vector<Experiment> asked;
  static inline std::size_t fail_at = 0;
};

inline const EngineRegistration noting("noting",
                                       []() -> std::unique_ptr<Engine> { return std::make_unique<NotingEngine>(); });

inline const Machine& example() {
  static const Machine machine = load_machine("example-cluster");
  return machine;
}

/// A small sweep by the noting engine.
inline TuneRequest small_request() {
  NotingEngine::asked.clear();
  NotingEngine::fail_at = 0;
  TuneRequest request;
  request.machine = &example();
  request.machine_text = machine_source("example-cluster");
  request.nodes = {2, 3};
  request.ppn = {1, 3};
  request.bytes = {0, 36, 72, 1024, 65536};
  request.collectives = {Collective::bcast, Collective::allreduce, Collective::allgather, Collective::barrier};
  request.engine = "noting";
  return request;
}

}  // namespace tutti::test
