#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_binary(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  return bcast_pipeline_down(comm, call, rooted_at(call.root, size, binary_tree(size, vrank)));
}

namespace {
double binary_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return last_arrival(
      0, [=](int v) { return binary_tree(size, v); }, facts["segments"]);
}

}  // namespace

TUTTI_ALGORITHM(bcast, "binary", bcast_binary)
    .parameter("segment", 0, 0)
    .rounds(binary_rounds, "(segments-1)*min(2,p-1) + the last arrival in a binary tree")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3");

}  // namespace tutti
