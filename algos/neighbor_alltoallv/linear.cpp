#include "algos/patterns/neighbors.hpp"

namespace tutti {

TUTTI_ALGORITHM(neighbor_alltoallv, "linear", neighbors_at_once)
    .rounds_between(most_neighbors, most_rounds_at_once,
                    "at least the most other neighbours of a rank, either way, at most twice its blocks less one")
    .messages("edges")
    .bytes(neighbor_bytes, "all blocks that go to another rank")
    .cite(
        "Open MPI, ompi/mca/coll/basic/coll_basic_neighbor_alltoallv.c; MPICH, src/mpi/coll/ineighbor_alltoallv: all "
        "sends and receives at once")
    .deviates("blocks for the rank itself are copied; those libraries send them");

}  // namespace tutti
