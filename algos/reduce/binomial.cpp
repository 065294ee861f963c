#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_binomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  return reduce_pipeline_up(comm, call, rooted_at(call.root, size, binomial_tree_nearest_first(size, vrank)));
}

namespace {
double binomial_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return reduce_pipeline_rounds(facts, 0, [=](int v) { return binomial_tree_nearest_first(size, v); });
}
}  // namespace

TUTTI_ALGORITHM(reduce, "binomial", reduce_binomial)
    .parameter("segment", 0, 0)
    .commutative()
    .rounds(binomial_rounds, "(segments-1)*ceil_log(p,2) + the first sum of a binomial tree")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3")
    .deviates(
        "MPICH does not segment, and serves a non-commutative operator too: by the tree rooted at rank 0, which then "
        "sends to the root.");

}  // namespace tutti
