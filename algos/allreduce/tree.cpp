#include <algorithm>
#include <vector>

#include "algos/patterns/segments.hpp"
#include "algos/patterns/tree_pipeline.hpp"

namespace tutti {

Task allreduce_tree(Comm comm, Call call) {
  const int size = comm.size();
  const auto radix = static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), std::max(size, 2)));
  const Tree tree = depth_first_knomial_tree(size, comm.rank(), radix);
  const Segments segments(call.out, call);
  const View incoming = comm.scratch(tree.children.empty() ? 0 : segments[0].elements());
  std::vector<Op> sends;
  co_await comm.wait(comm.copy(call.out, call.in));
  for (Count i = 0; i < segments.count(); ++i) {
    const View sum = segments[i], arrived = incoming.slice(0, tree.children.empty() ? 0 : sum.elements());
    for (const Rank child : tree.children) {
      co_await comm.wait(comm.recv(child, arrived));
      co_await comm.wait(comm.combine(sum, sum, arrived));
    }
    if (tree.parent >= 0) {
      co_await comm.blocking_send(tree.parent, sum);
      co_await comm.wait(comm.recv(tree.parent, sum));
    }
    for (const Rank child : tree.children) sends.push_back(comm.send(child, sum));
  }
  co_await comm.wait(sends);
}

namespace {

double tree_rounds(const Facts& f) {
  const auto size = static_cast<int>(f["p"]);
  const auto radix = static_cast<int>(std::min(f["k"], std::max(f["p"], 2.0)));
  std::vector<Tree> tree;
  for (Rank rank = 0; rank < size; ++rank) tree.push_back(depth_first_knomial_tree(size, rank, radix));
  return up_and_down_rounds(tree, 0, f["segments"]);
}

}  // namespace

TUTTI_ALGORITHM(allreduce, "tree", allreduce_tree)
    .parameter("radix", 2, 2)
    .parameter("segment", 0, 0)
    .rounds(tree_rounds, "up and down the tree, segment by segment: up to 2*(k-1)*ceil_log(p,k) for one")
    .messages("2*(p-1)*segments")
    .bytes("2*(p-1)*n")
    .cite("MPICH, treealgo: the k-nomial tree in depth-first order, rooted at rank 0")
    .deviates(
        "of MPICH's tree types knomial_1, its default; the remainder is the last segment, MPICH's first; a rank waits "
        "until its parent has taken its segment before it receives the result over it; MPICH sends nothing for a count "
        "of 0");

}  // namespace tutti
