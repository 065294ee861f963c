#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "neighbor_exchange", allgather_neighbor_exchange)
    .rounds("p/2")
    .messages("p*p/2")
    .bytes("(p-1)*n")
    .fallback("odd(p)", "ring")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c, after Chen, Zhang, Zhang, Yuan, HPC Asia 2005");

}  // namespace tutti
