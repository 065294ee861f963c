#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "sparbit", allgather_sparbit)
    .rounds("ceil_log(p,2)")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c, after Loch, Koslovski: Sparbit, SBAC-PAD 2021");

}  // namespace tutti
