#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_pipeline(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  return reduce_pipeline_up(comm, call, rooted_at(call.root, size, chain_tree(size, vrank, 1)));
}

TUTTI_ALGORITHM(reduce, "pipeline", reduce_pipeline)
    .parameter("segment", 0, 0)
    .commutative()
    .rounds("p == 1 ? 0 : segments + p - 2")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3");

}  // namespace tutti
