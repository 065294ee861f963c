#pragma once

#include <string>
#include <vector>

#include "runtime/team.hpp"

namespace tutti::bench {

/// One collective at one size, by several algorithms in turn.
struct Comparison {
  Collective collective = Collective::barrier;
  std::int64_t bytes = 0;  // total (docs/formats.md); blocks are rounded down to whole elements
  std::vector<std::string> algorithms;
  std::size_t kept = 0;  // the first so many are repeated however slow they are
  int first = 3;         // repetitions of all; after that, of those whose best is within so many times the best of all
  double within = 1.3;
  int repetitions = 20;
  /// Short calls are made so often in a repetition; its time is then the median of theirs.
  double repetition_seconds = 1e-3;
};

/// By algorithm, the time of each repetition in seconds: each call begins after a barrier and is as long as on its
/// slowest rank. In every repetition another algorithm is the first. All ranks together; the same on all. Every
/// algorithm's result is compared with what it must be, once, before anything is measured: throws std::runtime_error
/// where it is wrong, and as Team::run.
std::vector<std::vector<double>> compare(Team& team, const Comparison& comparison);

}  // namespace tutti::bench
