#pragma once

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "models/machine_files.hpp"
#include "selection/tune.hpp"

namespace tutti::cli {

/// What the command line of `tune` says.
struct TuneOptions {
  std::string machine, nodes, ppn = "1", bytes, osu_sizes, collectives, algorithms, output, mode, robust, statistic;
  std::vector<std::string> loads, noise;
  std::string placement = "block", engine = "fast", confirming, state, baselines, library, costs, shard, slurm;
  double bound = 0.05;
  std::string counts;
  bool exhaustive = false, json = false;
  double most_messages = MessageBudget().whole;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

/// Throws InputError. The machine, which must outlive it, is the one that the options name.
TuneRequest request_of(const TuneOptions& options, const ReadMachine& read);
/// What of the options decides the table, as arguments of a command line.
std::vector<std::string> arguments_of(const TuneOptions& options);

}  // namespace tutti::cli
