#include <algorithm>

#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_chain(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto fanout = static_cast<int>(std::min<std::int64_t>(call.parameter("fanout"), size));
  return reduce_pipeline_up(comm, call, rooted_at(call.root, size, chain_tree(size, vrank, fanout)));
}

namespace {
double chain_rounds(const Facts& facts) {
  const auto below = static_cast<int>(facts["p"]) - 1;
  if (below == 0) return 0;
  const auto chains = static_cast<int>(std::min<double>(facts["fanout"], below));
  std::vector<int> ready(static_cast<std::size_t>(chains), below / chains - 1);
  for (int chain = 0; chain < below % chains; ++chain) ++ready[chain];
  return (facts["segments"] - 1) * chains + rounds_to_take_in(ready);
}
}  // namespace

TUTTI_ALGORITHM(reduce, "chain", reduce_chain)
    .parameter("fanout", 4, 1)
    .parameter("segment", 0, 0)
    .commutative()
    .rounds(chain_rounds, "(segments-1)*min(fanout,p-1) + the first sum of the chains")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3")
    .deviates("Open MPI takes a fan-out above 32 as 32.");

}  // namespace tutti
