#include "sim/arrivals.hpp"
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
        const Machine& for_job = machine.for_job(experiment.c.ranks);
        results.push_back(
            over_arrivals(experiment, [&](const Experiment& one) { return run(for_job, one, contention_free); }));
      } catch (const ExperimentRefused& refused) {
        results.emplace_back().refused = refused.what();
      }
    }
    return results;
  }

 private:
  /// Whoever wants a record, or a payload moved, has all ranks simulated over a network. Things at the very same
  /// instant may then happen in another order; the times are those that are told without.
  static Result run(const Machine& machine, const Experiment& experiment, bool contention_free) {
    const std::vector<bool> can_fill = fillable_links(machine, experiment);
    if (experiment.record || experiment.payload) {
      Experiment plain = experiment;
      plain.record = false;
      plain.payload = nullptr;
      Result observed = whole(machine, experiment, can_fill);
      std::optional<Result> result = in_short(machine, plain, can_fill, contention_free);
      if (!result || observed.exceeded) return observed;
      result->trace = std::move(observed.trace);
      result->critical_path = std::move(observed.critical_path);
      result->path_parts = std::move(observed.path_parts);
      result->fault = std::move(observed.fault);
      return *std::move(result);
    }
    if (std::optional<Result> result = in_short(machine, experiment, can_fill, contention_free))
      return *std::move(result);
    return whole(machine, experiment, can_fill);
  }

  static Result whole(const Machine& machine, const Experiment& experiment, const std::vector<bool>& can_fill,
                      const Symmetry& symmetry = {}) {
    MaxMinNetwork flows(machine, can_fill);
    return Simulation(machine, experiment, flows, symmetry).run();
  }

  /// Of some ranks that stand for all, or without a network. No result: neither is possible.
  static std::optional<Result> in_short(const Machine& machine, const Experiment& experiment,
                                        const std::vector<bool>& can_fill, bool contention_free) {
    const Symmetry symmetry = find_symmetry(machine, experiment, can_fill);
    if (contention_free && experiment.mode.kind != Mode::Kind::loop && !experiment.tells_each_call())
      if (std::optional<Result> result = ContentionFreeSimulation(machine, experiment, symmetry.ranks).run())
        return result;
    if (symmetry.is_trivial()) return std::nullopt;
    return whole(machine, experiment, can_fill, symmetry);
  }
};

const EngineRegistration registered("fast", []() -> std::unique_ptr<Engine> { return std::make_unique<FastEngine>(); });

}  // namespace
}  // namespace tutti::fast
