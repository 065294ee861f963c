#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "python/machines.hpp"
#include "sim/engine.hpp"

namespace tutti::python {

/// One simulated call: what was asked for, what ran, and what came of it.
struct SimulatedCall {
  SharedMachine machine;
  std::string collective, algorithm, chosen, engine, mode;
  int ranks = 0, nodes = 0, ppn = 0;
  std::int64_t bytes = 0, bytes_simulated = 0;
  Result result;
  std::string trust;
  std::vector<int> node_of_rank = {};  // where it is recorded
};

}  // namespace tutti::python
