#include "algos/patterns/two_tree.hpp"

namespace tutti {

Task reduce_two_tree(Comm comm, Call call) {
  const View sum = comm.rank() == call.root ? call.out : comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await reduce_up_two_trees(comm, call, sum);
}

namespace {
double rounds_up(const Facts& facts) { return two_tree_rounds(facts, true, false); }
}  // namespace

TUTTI_ALGORITHM(reduce, "two_tree", reduce_two_tree)
    .parameter("segment", 64 << 10, 0)
    .commutative()
    .rounds(rounds_up, "those of bcast/two_tree in reverse")
    .messages(two_tree_messages, "(p-1)*(segments of both halves)")
    .bytes("(p-1)*n")
    .cite(
        "Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel "
        "Computing 35(12), 2009, section 5");

}  // namespace tutti
