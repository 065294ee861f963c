#include "algos/reduce_scatter/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "butterfly", reduce_scatter_butterfly)
    .fallback("pow2(p)", "noncommutative")
    .rounds("floor_log(p,2) + (pow2(p) ? (p > 2) : 2 + (p > pow(2,floor_log(p,2)) + 1))")
    .messages(
        "pow(2,floor_log(p,2))*(floor_log(p,2) + 1) - pow(2,ceil(floor_log(p,2)/2)) + "
        "2*(p - pow(2,floor_log(p,2)))")
    .bytes("(p-1)*n + (p - pow(2,ceil(floor_log(p,2)/2)))*c*e")
    .cite("Traeff: An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application, EuroPVM/MPI 2005")
    .deviates("Open MPI sends nothing for a count of 0");

}  // namespace tutti
