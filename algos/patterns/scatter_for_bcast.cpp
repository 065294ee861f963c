#include "algos/patterns/scatter_for_bcast.hpp"

#include <bit>

#include "algos/patterns/binomial.hpp"

namespace tutti {

Task scatter_for_bcast(Comm comm, Call call) {
  const int size = comm.size(), vrank = (comm.rank() - call.root + size) % size;
  const CeilingBlocks blocks(call.out.elements(), size);
  int distance = binomial_parent_distance(vrank, size);
  const View mine = blocks.of(call.out, vrank, binomial_subtree(vrank, size));
  if (vrank != 0 && !mine.empty()) co_await comm.wait(comm.recv((vrank - distance + call.root) % size, mine));
  while (distance /= 2) {
    const int child = vrank + distance;
    if (child >= size) continue;
    const View its = blocks.of(call.out, child, binomial_subtree(child, size));
    if (!its.empty()) co_await comm.blocking_send((child + call.root) % size, its);
  }
}

namespace {
/// Ranks whose block is not empty.
std::int64_t ranks_with_elements(const Facts& facts) {
  const CeilingBlocks blocks(static_cast<Count>(facts["c"]), static_cast<int>(facts["p"]));
  return blocks.elements == 0 ? 0 : (blocks.elements + blocks.each - 1) / blocks.each;
}
}  // namespace

double scatter_for_bcast_messages(const Facts& facts) {
  return static_cast<double>(std::max<std::int64_t>(1, ranks_with_elements(facts)) - 1);
}

double scatter_for_bcast_bytes(const Facts& facts) {
  const CeilingBlocks blocks(static_cast<Count>(facts["c"]), static_cast<int>(facts["p"]));
  Count hops = 0;
  for (int v = 0; v < static_cast<int>(ranks_with_elements(facts)); ++v)
    hops += std::popcount(static_cast<unsigned>(v)) * blocks.count(v, 1);
  return static_cast<double>(hops) * facts["e"];
}

double scatter_for_bcast_rounds(const Facts& facts) {
  const auto ranks = static_cast<std::uint64_t>(ranks_with_elements(facts));
  return ranks < 2 ? 0 : static_cast<double>(std::bit_width(ranks - 1));
}

std::vector<int> scatter_for_bcast_ends(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  const auto ranks = static_cast<int>(ranks_with_elements(facts));
  std::vector<int> ends(static_cast<std::size_t>(size), 0);
  for (int v = 0; v < ranks; ++v) {  // ends[v] is still when v received
    int& end = ends[static_cast<std::size_t>(v)];
    for (int distance = binomial_parent_distance(v, size) / 2; distance > 0; distance /= 2)
      if (v + distance < ranks) ends[static_cast<std::size_t>(v + distance)] = ++end;
  }
  return ends;
}

}  // namespace tutti
