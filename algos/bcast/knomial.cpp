#include <algorithm>

#include "algos/bcast/calls.hpp"
#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_knomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto radix = static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), std::max(size, 2)));
  return bcast_pipeline_down(comm, call, rooted_at(call.root, size, knomial_tree(size, vrank, radix)));
}

Task bcast_binomial_halving(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Call whole = call.with("segment", 0);
  return bcast_pipeline_down(comm, whole, rooted_at(call.root, size, knomial_tree(size, vrank, 2)));
}

namespace {
double knomial_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  const auto radix = static_cast<int>(std::min(facts["radix"], std::max(facts["p"], 2.0)));
  return last_arrival(
      0, [=](int v) { return knomial_tree(size, v, radix); }, facts["segments"]);
}

}  // namespace

TUTTI_ALGORITHM(bcast, "knomial", bcast_knomial)
    .parameter("radix", 4, 2)
    .parameter("segment", 0, 0)
    .rounds(knomial_rounds, "(segments-1)*(children of the root) + the last arrival in a k-nomial tree")
    .messages("(p-1)*segments")
    .bytes("(p-1)*n")
    .cite("Open MPI, coll/base: k-nomial tree, the most distant children first");

}  // namespace tutti
