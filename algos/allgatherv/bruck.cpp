#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "bruck", allgather_bruck)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c; MPICH, src/mpi/coll/allgatherv/allgatherv_intra_brucks.c")
    .deviates("Open MPI leaves blocks where they belong and sends them by types that name them; here they are rotated");

}  // namespace tutti
