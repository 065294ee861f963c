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

/// For declaring recursive distance doubling.
inline constexpr const char* kDistanceDoublingRounds =
    "c == 0 ? 0 : floor_log(p,2) + (pow2(p) ? (p > 2) : 3 + (p > pow(2,floor_log(p,2)) + 1))";
inline constexpr const char* kDistanceDoublingMessages =
    "c == 0 ? 0 : pow(2,floor_log(p,2))*(floor_log(p,2) + 1) - pow(2,ceil(floor_log(p,2)/2)) + "
    "4*(p - pow(2,floor_log(p,2)))";
inline constexpr const char* kDistanceDoublingBytes =
    "(p-1)*n, the blocks of all ranks but those that are their own mirrors, and half a vector for each rank that takes "
    "no part";
inline constexpr const char* kDistanceDoublingSources =
    "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004: the vector halves while distances "
    "double, ranks that take no part are folded by halves; HLC-Lab, PICO (arXiv 2508.16809), "
    "libbine_reduce_scatter.c: the blocks put right at the end";
inline constexpr const char* kDistanceDoublingDeviates =
    "PICO has powers of two only, and sends nothing where a half of the window is empty";

}  // namespace tutti
