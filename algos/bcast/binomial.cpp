#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_binomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  return bcast_pipeline_down(comm, call, rooted_at(call.root, size, binomial_tree_of_doubling(size, vrank)));
}

TUTTI_ALGORITHM(bcast, "binomial", bcast_binomial)
    .parameter("segment", 0, 0)
    .rounds("segments*ceil_log(p,2)")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in "
        "MPICH, 2005")
    .deviates("MPICH's tree is that of knomial:radix=2, whose last round is between neighbours; it does not segment.");

}  // namespace tutti
