#pragma once

#include <string>

#include "models/placement.hpp"
#include "sim/engine.hpp"

namespace tutti::test {

/// A collective of `bytes` in the total convention, one or several ranks on each node, block by block.
struct Measured {
  Collective collective;
  std::string algorithm;
  int ranks = 2, ppn = 1;
  std::int64_t bytes = 0;
  std::string mode = "isolated", placement = "block";
};

inline Result simulate(const Machine& machine, const Measured& run) {
  static const std::unique_ptr<Engine> engine = make_engine("fast");
  Experiment experiment;
  experiment.c = {
      .collective = run.collective, .ranks = run.ranks, .element_bytes = default_element_bytes(run.collective)};
  experiment.c.count = count_for_total_bytes(run.collective, run.ranks, experiment.c.element_bytes, run.bytes);
  experiment.choice = parse_choice(run.collective, run.algorithm);
  experiment.core_of_rank = run.placement == "block" ? place_block(*machine.network, run.ranks, run.ppn)
                                                     : place_cyclic(*machine.network, run.ranks, run.ppn);
  experiment.mode = parse_mode(run.mode);
  Result result = engine->run(machine, {&experiment, 1}).front();
  if (!result.refused.empty()) throw std::runtime_error(result.refused);
  return result;
}

inline double seconds(const Machine& machine, const Measured& run) { return simulate(machine, run).makespan_seconds; }

}  // namespace tutti::test
