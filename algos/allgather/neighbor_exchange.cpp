#include "algos/registry.hpp"

namespace tutti {

Task allgather_neighbor_exchange(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const bool even = rank % 2 == 0;
  const Rank right = (rank + 1) % size, left = (rank - 1 + size) % size;
  const Rank partner = even ? right : left, other = even ? left : right;
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  co_await comm.exchange(partner, call.block(rank), partner, call.block(partner));

  // From here on pairs of blocks travel, each named by its even member: first the pair's own, then what came last. The
  // partner's pairs come from one side of the ring, the other neighbour's from the other.
  const int own = rank - rank % 2, outward = even ? 2 : -2;
  int last = own, from_partner = own, from_other = own;
  for (int step = 1; step < size / 2; ++step) {
    const bool odd_step = step % 2 == 1;
    int& pair = odd_step ? from_other : from_partner;
    pair = (pair + (odd_step ? -outward : outward) + size) % size;
    const Rank peer = odd_step ? other : partner;
    co_await comm.exchange(peer, call.block(last, 2), peer, call.block(pair, 2));
    last = pair;
  }
}

TUTTI_ALGORITHM(allgather, "neighbor_exchange", allgather_neighbor_exchange)
    .rounds("p/2")
    .messages("p*p/2")
    .bytes("(p-1)*n")
    .fallback("odd(p)", "ring")
    .cite(
        "Chen, Zhang, Zhang, Yuan: Performance Evaluation of Allgather Algorithms on Terascale Linux Cluster with Fast "
        "Ethernet, HPC Asia 2005");

}  // namespace tutti
