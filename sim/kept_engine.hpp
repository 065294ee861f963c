#pragma once

#include "sim/result_store.hpp"

namespace tutti {

/// An engine that looks first whether a store has the result, and puts there what it has not: work that was interrupted
/// goes on where it stopped, with the same results. Of recorded events the critical path's are kept and no others.
class KeptEngine final : public Engine {
 public:
  /// All must outlive it. `machine`: a text that says all of the machine that it will be given, but how many of its
  /// first nodes those are.
  KeptEngine(const Engine& engine, ResultStore& store, const std::string& machine);
  std::string name() const override { return engine_.name(); }
  std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const override;
  /// How many results this thread has had made, for whichever store did not have them.
  static std::size_t simulated_by_this_thread();

 private:
  const Engine& engine_;
  ResultStore& store_;
  const std::string machine_;  // its checksum
};

}  // namespace tutti
