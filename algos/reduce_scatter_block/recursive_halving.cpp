#include "algos/reduce_scatter/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "recursive_halving", reduce_scatter_recursive_halving)
    .fallback("!commutative", "linear")
    .rounds("c == 0 ? 0 : floor_log(p,2) + (pow2(p) ? 0 : 2)")
    .messages("c == 0 ? 0 : pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p - pow(2,floor_log(p,2)))")
    .bytes("(p-1)*n + (p - pow(2,floor_log(p,2)))*c*e")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005")
    .deviates("MPICH refuses non-commutative operators, where Open MPI runs linear");

}  // namespace tutti
