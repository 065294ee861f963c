#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "recursive_doubling", allgather_recursive_doubling)
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .fallback("!pow2(p)", "bruck")
    .cite("MPICH, src/mpi/coll/allgatherv/allgatherv_intra_recursive_doubling.c")
    .deviates("MPICH goes through its steps at other numbers of ranks, too; it selects it for powers of two only");

}  // namespace tutti
