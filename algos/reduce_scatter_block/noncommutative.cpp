#include "algos/reduce_scatter/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "noncommutative", reduce_scatter_noncommutative)
    .requires_that("pow2(p)", "a power of two of ranks")
    .rounds("floor_log(p,2)")
    .messages("p*floor_log(p,2)")
    .bytes("(p-1)*n")
    .cite("Traeff: An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application, EuroPVM/MPI 2005");

}  // namespace tutti
