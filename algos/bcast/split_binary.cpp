#include <algorithm>
#include <cmath>

#include "algos/patterns/segments.hpp"
#include "algos/patterns/tree.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task bcast_split_binary(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const Tree tree = rooted_at(call.root, size, binary_tree(size, vrank));
  const Count count = call.out.elements(), left = count - count / 2;
  const View halves[2] = {call.out.slice(0, left), call.out.slice(left, count - left)};
  const Segments segments[2] = {Segments(halves[0], call), Segments(halves[1], call)};
  const int side = vrank % 2 == 1 ? 0 : 1;  // odd virtual ranks are below the root's left child and get the left half
  const Segments& mine = segments[side];

  if (vrank == 0) {
    for (Count i = 0; i < segments[0].count(); ++i)
      for (std::size_t child = 0; child < tree.children.size(); ++child)
        if (i < segments[child].count()) co_await comm.blocking_send(tree.children[child], segments[child][i]);
  } else if (tree.children.empty()) {
    for (Count i = 0; i < mine.count(); ++i) co_await comm.wait(comm.recv(tree.parent, mine[i]));
  } else {
    Op next = comm.recv(tree.parent, mine[0]);
    for (Count i = 0; i < mine.count(); ++i) {
      const Op current = next;
      if (i + 1 < mine.count()) next = comm.recv(tree.parent, mine[i + 1]);
      co_await comm.wait(current);
      for (const Rank child : tree.children) co_await comm.blocking_send(child, mine[i]);
    }
  }

  // Neighbours on the two sides exchange their halves; an even last rank is left over, and the root serves it.
  const Rank last = (call.root + size - 1) % size;
  if (size % 2 == 0 && vrank == 0) {
    co_await comm.blocking_send(last, halves[1]);
  } else if (size % 2 == 0 && comm.rank() == last) {
    co_await comm.wait(comm.recv(call.root, halves[1]));
  } else if (vrank != 0) {
    const Rank partner = real_rank(side == 0 ? vrank + 1 : vrank - 1, call.root, size);
    co_await comm.exchange(partner, halves[side], partner, halves[1 - side]);
  }
}

namespace {
/// Segments of the left and of the right half.
double segments_of(const Facts& facts, bool right) {
  const double half = right ? std::floor(facts["c"] / 2) : std::ceil(facts["c"] / 2);
  const double each = facts["segment"] == 0 ? half : std::max(1.0, std::floor(facts["segment"] / facts["e"]));
  return std::ceil(half / each);
}

double split_binary_rounds(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  if (size == 1) return 0;
  const double left = segments_of(facts, false), right = segments_of(facts, true);
  const auto shape = [=](int v) { return binary_tree(size, v); };
  // The round at whose end a rank below the root has sent on its last segment.
  const auto end = [&](int v) {
    int arrival = 0;
    for (int child = v, parent = shape(v).parent; parent >= 0; child = parent, parent = shape(parent).parent)
      arrival += shape(parent).children[0] == child ? 1 : 2;
    return ((v % 2 == 1 ? left : right) - 1) * std::min(2, size - 1) + arrival +
           static_cast<double>(shape(v).children.size());
  };
  double last = 0;
  for (int v = 1; v + 1 < size; v += 2) last = std::max({last, end(v), end(v + 1)});
  if (size % 2 == 0) last = std::max({last, end(size - 1), size == 2 ? left : left + right});
  return last + 1;
}
double split_binary_messages(const Facts& facts) {
  const double below = facts["p"] - 1;
  return std::ceil(below / 2) * segments_of(facts, false) + std::floor(below / 2) * segments_of(facts, true) + below;
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
        "Cluster "
        "Computing 10, 2007, section 3");

}  // namespace tutti
