#include "algos/patterns/tree_pipeline.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_in_order_binary(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Rank top = size - 1;  // an in-order tree ends at the last rank
  Call up = call;
  if (call.root != top) {
    if (rank == top) up.out = comm.scratch(call.in.elements());
    if (call.in_place) {
      up.in = comm.scratch(call.in.elements());
      co_await comm.wait(comm.copy(up.in, call.in));
    }
    up.in_place = false;
  }
  co_await reduce_pipeline_up(comm, up, in_order_binary_tree(size, rank));
  if (call.root == top) co_return;
  if (rank == top) co_await comm.blocking_send(call.root, up.out);
  if (rank == call.root) co_await comm.wait(comm.recv(top, call.out));
}

namespace {
double in_order_binary_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return reduce_pipeline_rounds(facts, size - 1, [=](Rank rank) { return in_order_binary_tree(size, rank); }) +
         (facts["root"] != size - 1);
}
}  // namespace

TUTTI_ALGORITHM(reduce, "in_order_binary", reduce_in_order_binary)
    .parameter("segment", 0, 0)
    .rounds(in_order_binary_rounds,
            "(segments-1)*min(2,p-1) + the first sum of an in-order binary tree + (root != p-1)")
    .messages("(p-1)*segments + (root != p-1)")
    .bytes("(p-1 + (root != p-1))*n")
    .cite("Open MPI, coll/base: a binary tree whose subtrees are ranges of ranks, for operators that do not commute");

}  // namespace tutti
