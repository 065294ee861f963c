#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_recursive_halving(Comm comm, Call call);  // reduce_scatter/recursive_halving.cpp

TUTTI_ALGORITHM(reduce_scatter_block, "recursive_halving", reduce_scatter_recursive_halving)
    .fallback("!commutative", "linear")
    .rounds("c == 0 ? 0 : floor_log(p,2) + (pow2(p) ? 0 : 2)")
    .messages("c == 0 ? 0 : pow(2,floor_log(p,2))*floor_log(p,2) + 2*(p - pow(2,floor_log(p,2)))")
    .bytes("(p-1)*n + (p - pow(2,floor_log(p,2)))*c*e")
    .open_mpi(3)
    .mpich("MPIR_Reduce_scatter_block_intra_recursive_halving")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005")
    .deviates("MPICH refuses non-commutative operators, where Open MPI runs linear");

}  // namespace tutti
