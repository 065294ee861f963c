#include "algos/patterns/bine.hpp"
#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_bine_lat_i_new(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Tree tree = rooted_at(call.root, size, bine_tree(size, vrank, BineOrder::far_first));
  return bcast_pipeline_down(comm, call.with("segment", 0), tree);
}

namespace {
double bine_i_new_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return last_arrival(0, [=](int v) { return bine_tree(size, v, BineOrder::far_first); });
}
}  // namespace

TUTTI_ALGORITHM(bcast, "bine_lat_i_new", bcast_bine_lat_i_new)
    .rounds(bine_i_new_rounds, "ceil_log(p,2) where p is a power of two, else the last arrival in the tree")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite(
        "De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_bcast.c, bcast_bine_lat_i_new "
        "and bcast_bine_lat_reversed")
    .deviates(
        "There for powers of two only; here an even number of ranks has its own tree, and an odd one a last rank more");

}  // namespace tutti
