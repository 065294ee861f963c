#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_noncommutative(Comm comm, Call call);  // reduce_scatter/noncommutative.cpp

TUTTI_ALGORITHM(reduce_scatter_block, "noncommutative", reduce_scatter_noncommutative)
    .requires_that("pow2(p)", "a power of two of ranks")
    .rounds("floor_log(p,2)")
    .messages("p*floor_log(p,2)")
    .bytes("(p-1)*n")
    .mpich("MPIR_Reduce_scatter_block_intra_noncommutative")
    .cite("Traeff: An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application, EuroPVM/MPI 2005");

}  // namespace tutti
