#pragma once

#include <string>

#include "runtime/team.hpp"

namespace tutti::cli {

/// `tutti bench plan`: compares ways to make calls.
struct PlanOptions {
  std::string file;  // docs/formats.md
  int first = 3, repetitions = 20;
  double within = 1.3;
  bool has_table = false;  // the team's
};

/// Runs the cells of the team's number of ranks; CSV on rank 0's stdout. All ranks together. Throws InputError
/// FILE:LINE.
void run_plan(Team& team, const PlanOptions& options);

}  // namespace tutti::cli
