#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "two_proc", allgather_two_proc)
    .rounds("1")
    .messages("2")
    .bytes("n")
    .requires_that("p==2", "exactly two ranks")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c");

}  // namespace tutti
