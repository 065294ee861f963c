#include "algos/patterns/tree.hpp"

#include <algorithm>

#include "algos/registry.hpp"

namespace tutti {

Task bcast_tree(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto radix = static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), std::max(size, 2)));
  const Tree tree = rooted_at(call.root, size, tree_of_type(call.parameter("tree_type"), size, vrank, radix));
  if (call.out.empty()) co_return;
  if (tree.parent >= 0) co_await comm.wait(comm.recv(tree.parent, call.out));
  for (const Rank child : tree.children) comm.send(child, call.out);
}

namespace {
double tree_rounds(const Facts& facts) {
  if (facts["n"] == 0) return 0;
  const auto type = static_cast<std::int64_t>(facts["tree_type"]);
  const auto size = static_cast<int>(facts["p"]);
  const auto radix = static_cast<int>(std::min(facts["radix"], std::max(facts["p"], 2.0)));
  return last_arrival(0, [=](int v) { return tree_of_type(type, size, v, radix); });
}
}  // namespace

TUTTI_ALGORITHM(bcast, "tree", bcast_tree)
    .parameter("tree_type", 0, 0, 2)
    .parameter("radix", 2, 1)
    .requires_that("tree_type == 0 || radix >= 2", "a radix of at least 2 for a k-nomial tree")
    .rounds(tree_rounds, "n == 0 ? 0 : the last arrival in the tree")
    .messages("n == 0 ? 0 : p-1")
    .bytes("(p-1)*n")
    .cite(
        "MPICH, algorithms/treealgo: k-ary tree (type 0), k-nomial in depth-first order (1: knomial_1), k-nomial by "
        "digits (2: knomial_2); sends to the children are non-blocking");

}  // namespace tutti
