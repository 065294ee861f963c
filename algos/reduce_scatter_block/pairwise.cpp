#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_pairwise(Comm comm, Call call);  // reduce_scatter/pairwise.cpp

TUTTI_ALGORITHM(reduce_scatter_block, "pairwise", reduce_scatter_pairwise)
    .commutative()
    .rounds("c == 0 ? 0 : p-1")
    .messages("c == 0 ? 0 : p*(p-1)")
    .bytes("(p-1)*n")
    .mpich("MPIR_Reduce_scatter_block_intra_pairwise")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
