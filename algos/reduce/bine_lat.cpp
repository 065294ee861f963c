#include <algorithm>

#include "algos/patterns/bine.hpp"
#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// The tree of the broadcast, its steps backwards: near ranks first.
Tree tree_of(int size, int v) {
  Tree tree = bine_tree(size, v, BineOrder::far_first);
  std::reverse(tree.children.begin(), tree.children.end());
  return tree;
}

double bine_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return sum_complete(0, [=](int v) { return tree_of(size, v); });
}

}  // namespace

Task reduce_bine_lat(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  return reduce_pipeline_up(comm, call.with("segment", 0), rooted_at(call.root, size, tree_of(size, vrank)));
}

TUTTI_ALGORITHM(reduce, "bine_lat", reduce_bine_lat)
    .commutative()
    .rounds(bine_rounds, "ceil_log(p,2) where p is a power of two, else the first sum of the tree")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_reduce.c, reduce_bine_lat")
    .deviates(
        "There for powers of two only, with one receive at a time; here an even number of ranks has its own tree, and "
        "an odd one a last rank more");

}  // namespace tutti
