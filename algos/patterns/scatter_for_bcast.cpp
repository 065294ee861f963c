#include "algos/patterns/scatter_for_bcast.hpp"

#include <bit>
#include <cmath>

#include "algos/patterns/binomial.hpp"

namespace tutti {

Task scatter_for_bcast(Comm comm, Call call) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const CeilingBlocks blocks(call.out.elements(), size);
  int distance = binomial_parent_distance(vrank, size);
  const View mine = blocks.of(call.out, vrank, binomial_subtree(vrank, size));
  if (vrank != 0 && !mine.empty()) co_await comm.wait(comm.recv(real_rank(vrank - distance, call.root, size), mine));
  while (distance /= 2) {
    const int child = vrank + distance;
    if (child >= size) continue;
    const View its = blocks.of(call.out, child, binomial_subtree(child, size));
    if (!its.empty()) co_await comm.blocking_send(real_rank(child, call.root, size), its);
  }
}

namespace {
/// What CeilingBlocks should come to, not taken from there: blocks that are wrong are to differ from what is declared.
struct Scattered {
  std::int64_t ranks = 0, each = 0, last = 0;  // ranks whose block is not empty; elements of a block, and of the last

  explicit Scattered(const Facts& facts) {
    const auto elements = static_cast<std::int64_t>(facts["c"]);
    if (elements == 0) return;
    each = static_cast<std::int64_t>(std::ceil(facts["c"] / facts["p"]));
    ranks = (elements - 1) / each + 1;
    last = elements - (ranks - 1) * each;
  }
};
}  // namespace

double scatter_for_bcast_messages(const Facts& facts) { return static_cast<double>(Scattered(facts).ranks - 1); }

double scatter_for_bcast_bytes(const Facts& facts) {
  const Scattered blocks(facts);
  Count hops = 0;
  for (std::int64_t v = 1; v < blocks.ranks; ++v)
    hops += std::popcount(static_cast<std::uint64_t>(v)) * (v == blocks.ranks - 1 ? blocks.last : blocks.each);
  return static_cast<double>(hops) * facts["e"];
}

double scatter_for_bcast_rounds(const Facts& facts) {
  const auto ranks = static_cast<std::uint64_t>(Scattered(facts).ranks);
  return ranks < 2 ? 0 : static_cast<double>(std::bit_width(ranks - 1));
}

std::vector<int> scatter_for_bcast_ends(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  const auto ranks = static_cast<int>(Scattered(facts).ranks);
  std::vector<int> ends(static_cast<std::size_t>(size), 0);
  for (int v = 0; v < ranks; ++v) {  // ends[v] is still when v received
    int& end = ends[v];
    for (int distance = binomial_parent_distance(v, size) / 2; distance > 0; distance /= 2)
      if (v + distance < ranks) ends[v + distance] = ++end;
  }
  return ends;
}

}  // namespace tutti
