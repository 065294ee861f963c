#include "algos/patterns/mirror.hpp"
#include "algos/reduce_scatter/calls.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "recursive_distance_doubling", reduce_scatter_recursive_distance_doubling)
    .commutative()
    .rounds("c == 0 ? 0 : floor_log(p,2) + (pow2(p) ? (p > 2) : 3 + (p > pow(2,floor_log(p,2)) + 1))")
    .messages(
        "c == 0 ? 0 : pow(2,floor_log(p,2))*(floor_log(p,2) + 1) - pow(2,ceil(floor_log(p,2)/2)) + "
        "4*(p - pow(2,floor_log(p,2)))")
    .bytes(
        bytes_with_mirrors_by_halves,
        "(p-1)*n, the blocks of all ranks but those that are their own mirrors, and half a vector for each rank that "
        "takes no part")
    .cite(
        "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004: the vector halves while distances "
        "double, ranks that take no part are folded by halves; HLC-Lab, PICO (arXiv 2508.16809), "
        "libbine_reduce_scatter.c: the blocks put right at the end")
    .deviates("PICO has powers of two only, and sends nothing where a half of the window is empty");

}  // namespace tutti
