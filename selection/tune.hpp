#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/machine.hpp"
#include "sim/engine.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What to tune for. Sizes: `bytes` in the total convention, or, with `osu_sizes`, as OSU's benchmarks print them.
struct TuneRequest {
  std::string machine_text;  // the machine's file, so that a state made with another one is not taken up
  const Machine* machine = nullptr;
  std::vector<int> nodes, ppn;
  std::vector<std::int64_t> bytes;
  bool osu_sizes = false;
  std::vector<Collective> collectives;
  /// Choices by text, for every collective that has them ("ring", "knomial:radix=8"); empty: every algorithm with its
  /// grid.
  std::vector<std::string> algorithms;
  std::string placement = "block";  // or "cyclic"
  std::string engine;
  Mode mode;
  double bound = 0.05;
  int jobs = 1;
  std::string state_directory;  // empty: nothing is kept
  std::function<void(std::size_t done, std::size_t total)> progress;
};

/// Every cell simulated with every applicable choice, and the rules merged. The same for any number of jobs,
/// interrupted and resumed or not. Throws InputError where the request cannot be met (more nodes than the machine has
/// …).
Table tune(const TuneRequest& request);

/// The choices worth trying for a collective: every algorithm at its defaults and with one parameter varied.
std::vector<Choice> candidate_choices(Collective collective, const std::vector<std::string>& only);

/// The cores of nodes * ppn ranks by "block" or "cyclic". Throws InputError on another name.
std::vector<int> place_ranks(const Network& network, int nodes, int ppn, const std::string& placement);

}  // namespace tutti
