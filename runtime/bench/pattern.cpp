#include "runtime/bench/pattern.hpp"

#include <stdexcept>

namespace tutti::bench {
namespace {

std::int64_t sum(Rank first, Rank last, Count i) {
  std::int64_t total = 0;
  for (Rank rank = first; rank <= last; ++rank) total += pattern(rank, i);
  return total;
}

}  // namespace

std::optional<std::int64_t> expected(const Case& c, Rank rank, Count i) {
  const Rank last = c.ranks - 1;
  switch (c.collective) {
    case Collective::barrier:
      return std::nullopt;
    case Collective::bcast:
      return pattern(c.root, i);
    case Collective::reduce:
    case Collective::allreduce:
      return sum(0, last, i);
    case Collective::scan:
      return sum(0, rank, i);
    case Collective::exscan:
      if (rank == 0) return std::nullopt;
      return sum(0, rank - 1, i);
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv: {
      const Origin origin = origin_of(c, rank, i);
      if (origin.rank == kNobody) return std::nullopt;
      return pattern(origin.rank, origin.element);
    }
    case Collective::reduce_scatter:
      return sum(0, last, blocks_of(c).first(rank) + i);
    case Collective::reduce_scatter_block:
      return sum(0, last, rank * c.count + i);
  }
  throw std::logic_error("bench::expected: unknown collective");
}

}  // namespace tutti::bench
