#include <algorithm>

#include "algos/patterns/tree.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_pipelined_tree(Comm comm, Call call) {
  constexpr Count kReceivesAhead = 3;
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const auto radix = static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), std::max(size, 2)));
  const Tree tree = rooted_at(call.root, size, tree_of_type(call.parameter("tree_type"), size, vrank, radix));
  if (call.out.empty()) co_return;

  const Count count = call.out.elements(), each = std::min(count, call.segment_elements(count));
  const Count chunks = (count + each - 1) / each, shortage = chunks * each - count;  // the first chunk is the short one
  const auto chunk = [&](Count i) {
    return i == 0 ? call.out.slice(0, each - shortage) : call.out.slice(i * each - shortage, each);
  };
  Op arriving[kReceivesAhead] = {};
  if (tree.parent >= 0)
    for (Count i = 0; i < std::min(chunks, kReceivesAhead); ++i) arriving[i] = comm.recv(tree.parent, chunk(i));
  for (Count i = 0; i < chunks; ++i) {
    if (tree.parent >= 0) {
      const Op next = i < kReceivesAhead ? arriving[i] : comm.recv(tree.parent, chunk(i));
      co_await comm.wait(next);
    }
    for (const Rank child : tree.children) comm.send(child, chunk(i));
  }
}

namespace {
double pipelined_tree_rounds(const Facts& facts) {
  if (facts["n"] == 0) return 0;
  const auto type = static_cast<std::int64_t>(facts["tree_type"]);
  const auto size = static_cast<int>(facts["p"]);
  const auto radix = static_cast<int>(std::min(facts["radix"], std::max(facts["p"], 2.0)));
  const auto shape = [=](int v) { return tree_of_type(type, size, v, radix); };
  const Tree top = shape(0);
  // The root waits for nothing between its sends: what it sends to an only child counts as one message.
  if (top.children.size() == 1) return 1 + last_arrival(top.children[0], shape, facts["segments"]);
  return last_arrival(0, shape, facts["segments"]);
}
}  // namespace

TUTTI_ALGORITHM(bcast, "pipelined_tree", bcast_pipelined_tree)
    .parameter("tree_type", 0, 0, 2)
    .parameter("radix", 2, 1)
    .parameter("segment", 8192, 0)
    .requires_that("tree_type == 0 || radix >= 2", "a radix of at least 2 for a k-nomial tree")
    .rounds(pipelined_tree_rounds, "n == 0 ? 0 : the last arrival in the tree, segment by segment")
    .messages("n == 0 ? 0 : (p-1)*segments")
    .bytes("(p-1)*n")
    .cite(
        "MPICH, algorithms/treealgo: trees as in bcast tree; up to three receives posted ahead, sends never waited for "
        "before the end");

}  // namespace tutti
