#include "algos/patterns/bine.hpp"

#include <bit>

#include "algos/registry.hpp"

namespace tutti {

Task scatter_bine(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Tree tree = rooted_at(call.root, size, bine_tree(size, vrank, BineOrder::far_first));
  if (tree.children.empty() && vrank != 0) {
    co_await comm.wait(comm.recv(tree.parent, call.out));
    co_return;
  }
  const Count each = call.out.elements();
  const BineInterval own = bine_interval(size, vrank);
  const bool in_order = vrank == 0 && call.root == 0 && std::has_single_bit(static_cast<unsigned>(size));
  const View held = in_order ? call.in : comm.scratch(own.ranks * each);
  const auto place = [=](int first, int ranks) {
    return in_order ? call.block(bine_rank_at(size, first), ranks)
                    : held.slice((first - own.first) * each, ranks * each);
  };
  const auto rank_at = [=](int i) { return real_rank(bine_rank_at(size, i), call.root, size); };
  if (vrank != 0) co_await comm.wait(comm.recv(tree.parent, held));
  for (int i = 0, run = 1; vrank == 0 && !in_order && i < size; i += run) {  // blocks that follow one another in both
    for (run = 1; i + run < size && rank_at(i + run) == rank_at(i) + run;) ++run;
    co_await comm.wait(comm.copy(place(i, run), call.block(rank_at(i), run)));
  }
  for (const Rank child : tree.children) {  // far ranks first
    const BineInterval its = bine_interval(size, virtual_rank(child, call.root, size));
    co_await comm.blocking_send(child, place(its.first, its.ranks));
  }
  if (!call.in_place) co_await comm.wait(comm.copy(call.out, place(own.own, 1)));
}

namespace {
double rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  return last_arrival(0, [=](int v) { return bine_tree(size, v, BineOrder::far_first); });
}
}  // namespace

TUTTI_ALGORITHM(scatter, "bine", scatter_bine)
    .rounds(rounds, "ceil_log(p,2) where p is a power of two, else the last arrival in the tree")
    .messages("p-1")
    .bytes(bine_tree_bytes, "each block times the edges between the root and its rank: n*log2(p)/2 at a power of two")
    .cite("De Sensi et al.: Bine Trees, SC 2025 (arXiv 2508.17311); HLC-Lab/pico, libbine_scatter.c")
    .deviates(
        "There for powers of two only, with two messages for what goes on at block 0; here an even number of ranks has "
        "its own tree, and an odd one a last rank more");

}  // namespace tutti
