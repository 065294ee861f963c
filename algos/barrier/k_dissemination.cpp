#include <algorithm>

#include "algos/registry.hpp"

namespace tutti {

Task barrier_k_dissemination(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const int radix = static_cast<int>(std::min<std::int64_t>(call.parameter("radix"), size));
  const View nothing;
  std::vector<Op> sent, arriving, next;
  for (std::int64_t shift = 1; shift < size; shift *= radix) {
    for (int j = 1; j < radix; ++j) {
      const auto distance = static_cast<int>(j * shift % size);
      if (distance == 0) continue;
      next.push_back(comm.recv((rank - distance + size) % size, nothing));
      if (j == 1) co_await comm.wait(arriving);  // what the phase before was told, this one passes on
      sent.push_back(comm.send((rank + distance) % size, nothing));
    }
    co_await comm.wait(sent);
    sent.clear();
    arriving = std::move(next);
    next.clear();
  }
  co_await comm.wait(arriving);
}

TUTTI_ALGORITHM(barrier, "k_dissemination", barrier_k_dissemination)
    .parameter("radix", 2, 2)
    .ports("max(1,min(k,p)-1)")
    .rounds("p == 1 ? 0 : ceil_log(p,min(k,p))")
    .messages("p == 1 ? 0 : p*sum(i, 0, ceil_log(p,min(k,p))-1, sum(j, 1, min(k,p)-1, j*pow(min(k,p),i)%p != 0))")
    .bytes("0")
    .cite(
        "Hensgen, Finkel, Manber: Two Algorithms for Barrier Synchronization, Int. J. Parallel Programming 17(1), "
        "1988; "
        "with k-1 partners a phase: Hoefler et al., Fast Barrier Synchronization for InfiniBand, IPDPS 2006")
    .deviates("MPICH also sends to itself where j times the phase's distance is a multiple of p.");

}  // namespace tutti
