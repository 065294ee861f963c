#include "sim/fast/contention_free.hpp"
#include "sim/fast/fillable_links.hpp"
#include "sim/fast/find_symmetry.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"

namespace tutti::fast {
namespace {

class FastEngine final : public Engine {
 public:
  std::string name() const override { return "fast"; }

  /// Each experiment has a network of its own, whose clock starts at zero: what it gives depends on no other. Where
  /// nothing is shared, no network is needed.
  std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const override {
    std::vector<Result> results;
    const bool contention_free = is_contention_free(machine);
    for (const Experiment& experiment : experiments) {
      try {
        results.push_back(run(machine.for_job(experiment.c.ranks), experiment, contention_free));
      } catch (const ExperimentRefused& refused) {
        results.emplace_back().refused = refused.what();
      }
    }
    return results;
  }

 private:
  static Result run(const Machine& machine, const Experiment& experiment, bool contention_free) {
    const std::vector<bool> can_fill = fillable_links(machine, experiment);
    const Symmetry symmetry = find_symmetry(machine, experiment, can_fill);
    if (contention_free && !experiment.record && experiment.mode.kind != Mode::Kind::loop && !experiment.background &&
        !experiment.noise)
      if (std::optional<Result> result = ContentionFreeSimulation(machine, experiment, symmetry.ranks).run())
        return *std::move(result);
    MaxMinNetwork flows(machine, can_fill);
    return Simulation(machine, experiment, flows, symmetry).run();
  }
};

const EngineRegistration registered("fast", []() -> std::unique_ptr<Engine> { return std::make_unique<FastEngine>(); });

}  // namespace
}  // namespace tutti::fast
