#include "algos/patterns/two_tree.hpp"

namespace tutti {

Task allreduce_two_tree(Comm comm, Call call) {
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_up_two_trees(comm, call, call.out, TwoTrees::in_order);
  co_await bcast_down_two_trees(comm, call, call.out, TwoTrees::in_order);
}

namespace {
double rounds_both_ways(const Facts& facts) { return two_tree_rounds(facts, {TwoTrees::in_order, true, true}); }
double messages_both_ways(const Facts& facts) { return 2 * two_tree_messages(facts); }
}  // namespace

TUTTI_ALGORITHM(allreduce, "two_tree", allreduce_two_tree)
    .parameter("segment", 64 << 10, 0)
    .rounds(rounds_both_ways, "up trees in order, then down them as soon as a rank has sent its last segment up")
    .messages(messages_both_ways, "2*(p-1)*(segments of both halves)")
    .bytes("2*(p-1)*n")
    .cite(
        "Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel "
        "Computing 35(12), 2009; NCCL's double binary trees do the same with segments that turn at the root at once")
    .deviates(
        "the second tree of an even number of ranks has rank 0 too, and ends in the last rank: so its operands are in "
        "order as well");

}  // namespace tutti
