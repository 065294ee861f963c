#pragma once

#include <vector>

#include "algos/patterns/hier.hpp"

namespace tutti {

// Compositions by levels (hier.hpp) of blocks of one size, where parts have not as many ranks each: those that lead
// them have blocks of different sizes, for which the irregular collective has algorithms.

/// Where the blocks of each of the stage's parts begin, in ranks, and the last end. Empty where all have as many.
std::vector<Count> firsts_of_parts(const Stage& stage);

/// Whether everywhere parts have as many ranks as those beside them.
bool are_even_everywhere(const Comm& comm, const Call& call);
bool are_even_everywhere(const Facts& facts);

/// Starts the irregular algorithm in place of the one that is the value of the stage's parameter: that of its name,
/// with the parameters of the same names; where there is none, gatherv and scatterv run binomial, allgatherv ring and
/// alltoallv linear.
Task run_irregular(const Stage& stage, const Call& whole, const Call& part);
/// What it takes; `c` has counts.
PartCounts count_irregular(const Facts& whole, const char* parameter, Case c);

/// For declaring them.
#define TUTTI_LEVELS_OF_ANY_SIZE                                                                            \
  "levels of any machine; where parts have not as many ranks each, those that lead them run the irregular " \
  "collective's "                                                                                           \
  "algorithm of the same name, or, where it has none, "

}  // namespace tutti
