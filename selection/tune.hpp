#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/machine.hpp"
#include "selection/loads.hpp"
#include "selection/search.hpp"
#include "selection/sweep_progress.hpp"
#include "selection/time_store.hpp"
#include "sim/engine.hpp"
#include "tables/table.hpp"

namespace tutti {

/// What to tune for. Sizes: `bytes` in the total convention, or, with `osu_sizes`, as OSU's benchmarks print them.
struct TuneRequest {
  std::string machine_text;  // the machine's file, so that a state made with another one is not taken up
  std::vector<std::string> machine_files = {};  // that it was read from, for the same end
  const Machine* machine = nullptr;
  std::vector<int> nodes, ppn;
  std::vector<std::int64_t> bytes;
  bool osu_sizes = false;
  std::vector<Collective> collectives;
  /// How counts are spread ("zipf:1.2"), which all collectives then must have; empty: blocks are equal. The search is
  /// exhaustive then, for bounds and extrapolation are of equal blocks.
  std::string counts;
  /// Choices by text, for every collective that has them ("ring", "knomial:radix=8"); empty: every algorithm with its
  /// grid.
  std::vector<std::string> algorithms;
  std::string library;  // of these only what a tuning file of this library can say ("open-mpi-4.1"); empty: all
  std::string library_named = {};  // as who asks named it, for people: "ucc-1.3"; empty: as above
  /// Libraries over whose own choices the gain is to be known; these are candidates then, whatever else is asked for.
  std::vector<std::string> baselines;
  std::string placement = "block";  // or "cyclic"; where every choice is simulated "scattered:SEED" or a file
  std::string engine;
  std::string confirming;  // the engine that decides what is close; empty, or the same: none
  Mode mode;
  Loads loads;  // if there are any, every choice is simulated at every size
  double bound = 0.05;
  bool exhaustive = false;  // simulate every choice at every size, however long it takes
  MessageBudget budget;
  int jobs = 1;
  std::string state_directory;  // empty: nothing is kept, unless in `times`
  TimeStore* times = nullptr;   // what is known and where it is kept, instead of a state; may be nullptr
  /// The parts of the sweep (selection/sweep_plan.hpp) of which the table is, by name; empty: all.
  std::function<bool(const std::string& part)> wanted;
  /// Told of rows of the state that are damaged, where there are any: they are simulated anew.
  std::function<void(std::size_t rows)> damaged;
  /// Told after every step (a place is searched, settled, confirmed) how many are done.
  SweepProgress::Callback progress;
  /// Told of every simulation.
  std::function<void(const SimulationCost&)> simulated;
};

/// Every cell with the times of the choices that come into question (selection/search.hpp), and the rules merged. The
/// same for any number of jobs, interrupted and resumed or not. A cell's size is what its ranks' blocks add up to;
/// requests that come to the same are one cell. What libraries pick by themselves is among the candidates, and no rule
/// takes longer than that in a cell that it serves: of the baselines, or, where there are none, of all libraries that
/// are known. Throws InputError where the request cannot be met (more nodes than the
/// machine has …).
Table tune(const TuneRequest& request);

/// The cores of nodes * ppn ranks by "block", "cyclic", "scattered:SEED" or a file. Throws InputError on another name.
std::vector<int> place_ranks(const Network& network, int nodes, int ppn, const std::string& placement);

}  // namespace tutti
