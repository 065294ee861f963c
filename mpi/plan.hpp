#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/settings.hpp"

namespace tutti::mpi {

/// One way to make a call: the library as it stands, or with control variables that force an algorithm.
struct Arm {
  std::string name;
  Settings settings;
};

/// A collective on the first so many ranks at one size (`total` convention), and the ways to be compared.
struct PlannedCell {
  std::string collective;
  int ranks = 0;
  std::int64_t bytes = 0;
  std::vector<Arm> arms;
};

/// One arm a line: "COLLECTIVE RANKS BYTES ARM [VARIABLE=VALUE ...]"; neighbouring lines of one cell belong together,
/// "#" begins a comment. Ends the job with FILE:LINE where it is no plan for `ranks` ranks.
std::vector<PlannedCell> read_plan(const std::string& path, int ranks);

struct PlanOptions {
  int repetitions = 1;
  bool probe = false;  ///< two more calls of each first, and what the second sent from rank to rank
};

/// Runs every cell's arms in turn, another first in each repetition, a barrier before each call. CSV on rank 0's
/// stdout: "time,COLLECTIVE,RANKS,BYTES,ARM,REPETITION,MICROSECONDS" with the longest time of a rank, and
/// "sent,COLLECTIVE,RANKS,BYTES,ARM,FROM>TO:MESSAGES:BYTES ...". Ranks outside a cell rest. Collective over all ranks.
void run_plan(const std::vector<PlannedCell>& plan, const PlanOptions& options);

}  // namespace tutti::mpi
