#include "algos/patterns/bine.hpp"

#include <algorithm>
#include <bit>

namespace tutti {

Task gather_bine(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  Tree tree = rooted_at(call.root, size, bine_tree(size, vrank, BineOrder::far_first));
  if (tree.children.empty() && vrank != 0) {
    co_await comm.blocking_send(tree.parent, call.in);
    co_return;
  }
  const Count each = call.in.elements();
  const BineInterval own = bine_interval(size, vrank);
  const bool in_order = vrank == 0 && call.root == 0 && std::has_single_bit(static_cast<unsigned>(size));
  const View held = in_order ? call.out : comm.scratch(own.ranks * each);
  const auto place = [=](int first, int ranks) {
    return in_order ? call.block(bine_rank_at(size, first), ranks)
                    : held.slice((first - own.first) * each, ranks * each);
  };
  co_await comm.wait(comm.copy(place(own.own, 1), call.in));
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) {  // near ranks first
    const BineInterval its = bine_interval(size, virtual_rank(*child, call.root, size));
    co_await comm.wait(comm.recv(*child, place(its.first, its.ranks)));
  }
  if (vrank != 0) co_await comm.blocking_send(tree.parent, held);
  if (vrank != 0 || in_order) co_return;

  const auto rank_at = [=](int i) { return real_rank(bine_rank_at(size, i), call.root, size); };
  for (int i = 0, run = 1; i < size; i += run) {  // blocks that follow one another in both orders go together
    for (run = 1; i + run < size && rank_at(i + run) == rank_at(i) + run;) ++run;
    co_await comm.wait(comm.copy(call.block(rank_at(i), run), place(i, run)));
  }
}

namespace {
int ready(int size, int v) {
  int round = 0;
  const Tree tree = bine_tree(size, v, BineOrder::far_first);
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
    round = std::max(round, ready(size, *child)) + 1;
  return round;
}
double rounds(const Facts& facts) { return ready(static_cast<int>(facts["p"]), 0); }
}  // namespace

TUTTI_ALGORITHM(gather, "bine", gather_bine)
    .rounds(rounds, "ceil_log(p,2) where p is a power of two, else what the tree takes, one receive after the other")
    .messages("p-1")
    .bytes(bine_tree_bytes, "each block times the edges between its rank and the root: n*log2(p)/2 at a power of two")
    .cite("De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_gather.c")
    .deviates(
        "There for powers of two only, in buffers as large as the root's, with two messages for what goes on at block "
        "0; here an even number of ranks has its own tree, and an odd one a last rank more");

}  // namespace tutti
