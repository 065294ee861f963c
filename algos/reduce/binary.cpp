#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_binary(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  return reduce_pipeline_up(comm, call, rooted_at(call.root, size, binary_tree(size, vrank)));
}

namespace {
double binary_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return reduce_pipeline_rounds(facts, 0, [=](int v) { return binary_tree(size, v); });
}
}  // namespace

TUTTI_ALGORITHM(reduce, "binary", reduce_binary)
    .parameter("segment", 0, 0)
    .commutative()
    .rounds(binary_rounds, "(segments-1)*min(2,p-1) + the first sum of a binary tree")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3");

}  // namespace tutti
