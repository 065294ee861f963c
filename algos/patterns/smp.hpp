#pragma once

#include "algos/registry.hpp"

namespace tutti {

// Counts of MPICH's two-level algorithms ("SMP"): a part on each node, one among the nodes' first ranks, and one on
// each node again. Parts are binomial trees and recursive doubling; nodes may have any numbers of ranks.

double smp_reduce_rounds(const Facts& facts);
double smp_allreduce_rounds(const Facts& facts);

/// `by_first`: the root sends to its node's first rank alone; else it broadcasts on its node before it is the others'
/// turn.
double smp_bcast_rounds(const Facts& facts, bool by_first);

/// Where ranks of a node do not follow one another these are those of recursive doubling among all.
double smp_scan_rounds(const Facts& facts);
double smp_scan_messages(const Facts& facts);

/// Of an algorithm whose messages all bring a whole vector.
template <double (*messages)(const Facts&)>
double bytes_of_vectors(const Facts& facts) {
  return messages(facts) * facts["n"];
}

}  // namespace tutti
