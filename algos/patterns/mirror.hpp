#pragma once

#include "algos/patterns/fold.hpp"
#include "algos/registry.hpp"

namespace tutti {

// Where distances double while windows halve, a number of the core is left with the block of its mirror: the number
// that has its bits in reverse.

int mirror_of(const Fold& fold, int number);

/// Bytes of a reduce-scatter by halving and of the blocks that then go from mirror to mirror, and to ranks that take no
/// part.
double bytes_with_mirrors(const Facts& facts);
/// The same where ranks are folded by halves (fold_in_by_halves), those that take part being even.
double bytes_with_mirrors_by_halves(const Facts& facts);

}  // namespace tutti
