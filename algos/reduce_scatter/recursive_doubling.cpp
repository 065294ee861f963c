#include "algos/patterns/recursive_doubling.hpp"

#include <algorithm>

namespace tutti {

Task reduce_scatter_recursive_doubling(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  if (call.in.empty()) co_return;
  View sum = comm.scratch(call.in.elements()), arrived = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  // all of a buffer but the blocks of the `width` ranks from `root` on
  const auto others = [=](View buffer, Rank root, int width) {
    const View own = call.blocks.of(buffer, root, std::min(width, size - root));
    return buffer.except(own.first - buffer.first, own.elements());
  };
  for (int width = 1; width < size; width <<= 1) {
    const Rank peer = rank ^ width, root = rank & ~(width - 1), peer_root = root ^ width;
    const int met = std::min(width, size - peer_root);  // how many ranks of this rank's tree have a peer
    if (met <= 0) continue;
    const View theirs = others(arrived, peer_root, width);
    if (peer < size) co_await comm.exchange(peer, others(sum, root, width), peer, theirs);
    if (met < width) co_await pass_on_by_halving(comm, 0, width, met, theirs);
    const View mine = others(sum, peer_root, width);
    if (call.commutative() || peer_root < root) {
      co_await comm.wait(comm.combine(mine, theirs, mine));
    } else {
      co_await comm.wait(comm.combine(theirs, mine, theirs));
      co_await comm.wait(comm.copy(mine, theirs));
    }
  }
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
}

namespace {
/// Every rank whose tree meets another receives once, all but the other tree's blocks.
double doubling_bytes(const Facts& f) {
  const int ranks = static_cast<int>(f["p"]);
  const Blocks& blocks = f.blocks();
  double elements = 0;
  for (int width = 1; width < ranks; width <<= 1)
    for (Rank low = 0; low + width < ranks; low += 2 * width) {
      const Rank middle = low + width, end = std::min(middle + width, ranks);
      const Count left = blocks.first(middle) - blocks.first(low), right = blocks.first(end) - blocks.first(middle);
      elements += static_cast<double>(width * (blocks.total() - right) + (end - middle) * (blocks.total() - left));
    }
  return elements * f["e"];
}
}  // namespace

TUTTI_ALGORITHM(reduce_scatter, "recursive_doubling", reduce_scatter_recursive_doubling)
    .rounds(recursive_doubling_rounds, "ceil_log(p,2); more where the ranks are no power of two")
    .messages("c == 0 ? 0 : sum(i, 0, ceil_log(p,2) - 1, p - (p%pow(2,i+1) <= pow(2,i) ? p%pow(2,i+1) : 0))")
    .bytes(doubling_bytes, "n*(p*log2(p) - (p-1)) at a power of two")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
