#include "algos/allgather/calls.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "linear", allgather_linear)
    .rounds("2*(p-1)")
    .messages("2*(p-1)")
    .bytes(bytes_by_way_of_first, "all blocks but rank 0's to it, and all blocks to the others")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c: gathers at rank 0 and broadcasts")
    .deviates(
        "gathers and broadcasts by the linear algorithms; Open MPI by whichever it would choose for MPI_Gatherv and "
        "MPI_Bcast");

}  // namespace tutti
