#include "algos/reduce_scatter/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "pairwise", reduce_scatter_pairwise)
    .commutative()
    .rounds("c == 0 ? 0 : p-1")
    .messages("c == 0 ? 0 : p*(p-1)")
    .bytes("(p-1)*n")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
