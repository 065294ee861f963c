#include "algos/registry.hpp"

namespace tutti {

Task allgather_recursive_doubling(Comm comm, Call call) {
  const Rank rank = comm.rank();
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  for (int distance = 1; distance < comm.size(); distance *= 2) {
    const Rank peer = rank ^ distance;
    const int mine = rank / distance * distance, theirs = mine ^ distance;  // first blocks of what either holds
    co_await comm.exchange(peer, call.block(mine, distance), peer, call.block(theirs, distance));
  }
}

TUTTI_ALGORITHM(allgather, "recursive_doubling", allgather_recursive_doubling)
    .rounds("log2(p)")
    .messages("p*log2(p)")
    .bytes("(p-1)*n")
    .fallback("!pow2(p)", "bruck")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005, on allgather")
    .deviates("MPICH has no fall-back: it selects the algorithm for powers of two only");

}  // namespace tutti
