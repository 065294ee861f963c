#include "algos/gather/calls.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {

TUTTI_ALGORITHM(gatherv, "linear", gather_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes(bytes_of_others, "all blocks but the root's")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_gatherv.c: one rank after the other")
    .deviates("Open MPI sends nothing where a block is empty; here that is a message as any other");

}  // namespace tutti
