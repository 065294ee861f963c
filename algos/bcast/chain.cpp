#include <algorithm>

#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_chain(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto fanout = static_cast<int>(std::min<std::int64_t>(call.parameter("fanout"), size));
  return bcast_pipeline_down(comm, call, rooted_at(call.root, size, chain_tree(size, vrank, fanout)));
}

TUTTI_ALGORITHM(bcast, "chain", bcast_chain)
    .parameter("fanout", 4, 1)
    .parameter("segment", 0, 0)
    .rounds("p == 1 ? 0 : segments*min(fanout,p-1) + floor((p-1)/min(fanout,p-1)) - 1")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3")
    .deviates("Open MPI takes a fan-out above 32 as 32.");

}  // namespace tutti
