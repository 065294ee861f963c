#include "algos/alltoall/calls.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {

TUTTI_ALGORITHM(alltoallv, "pairwise", alltoall_pairwise)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes(direct_bytes, "all blocks but those that stay")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_alltoallv.c: one exchange after the other, empty ones too")
    .deviates(
        "Open MPI 5.0 sends nothing where a block is empty; in place, with equal counts, the input is copied to "
        "scratch memory first");

}  // namespace tutti
