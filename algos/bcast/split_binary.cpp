#include <algorithm>
#include <cmath>

#include "algos/patterns/halves.hpp"

namespace tutti {

Task bcast_split_binary(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Tree tree = rooted_at(call.root, size, binary_tree(size, vrank));
  const std::array<Segments, 2> halves = segmented_halves(call.out, call);
  const std::size_t side = vrank % 2 == 1 ? 0 : 1;  // odd virtual ranks are below the root's left child
  co_await send_halves_down(comm, tree, halves, side);
  // Neighbours on the two sides exchange their halves; an even last rank is left over, and the root serves it.
  const bool left_over = size % 2 == 0 && vrank == size - 1;
  if (size % 2 == 0 && vrank == 0) co_await comm.blocking_send(real_rank(size - 1, call.root, size), halves[1].whole);
  if (left_over) co_await comm.wait(comm.recv(call.root, halves[1].whole));
  if (left_over || vrank == 0) co_return;
  const Rank partner = real_rank(side == 0 ? vrank + 1 : vrank - 1, call.root, size);
  co_await comm.exchange(partner, halves[side].whole, partner, halves[1 - side].whole);
}

namespace {
double split_binary_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  if (size == 1) return 0;
  const auto [left, right] = segments_of_halves(facts);
  const auto shape = [=](int v) { return binary_tree(size, v); };
  const auto end = [&, left = left, right = right](int v) {  // it has sent on the last segment
    return ((v % 2 == 1 ? left : right) - 1) * std::min(2, size - 1) + first_arrival(v, shape) +
           static_cast<double>(shape(v).children.size());
  };
  double last = 0;  // the root turns to the one left over no later than its first child ends
  for (int v = 1; v < size; ++v) last = std::max(last, end(v));
  return last + 1;
}
double split_binary_messages(const Facts& facts) {
  const auto [left, right] = segments_of_halves(facts);
  return std::ceil((facts["p"] - 1) / 2) * left + std::floor((facts["p"] - 1) / 2) * right + facts["p"] - 1;
}
}  // namespace

TUTTI_ALGORITHM(bcast, "split_binary", bcast_split_binary)
    .parameter("segment", 0, 0)
    .fallback("c < 2 || segment > floor(c/2)*e", "pipeline")
    .rounds(split_binary_rounds, "the last arrival of a half in a binary tree, segment by segment, and one exchange")
    .messages(split_binary_messages,
              "ceil((p-1)/2) * segments of the left half + floor((p-1)/2) * segments of the right "
              "half + p-1")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, coll/base; cost: Pjesivac-Grbovic et al., Performance Analysis of MPI Collective Operations, "
        "Cluster Computing 10, 2007, section 3");

}  // namespace tutti
