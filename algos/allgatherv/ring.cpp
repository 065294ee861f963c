#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "ring", allgather_ring)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c: whole blocks, empty ones too");

}  // namespace tutti
