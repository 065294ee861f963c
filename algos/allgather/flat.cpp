#include "algos/registry.hpp"

namespace tutti {

Task allgather_flat(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  for (int away = 1; away < size; ++away) comm.send((rank + away) % size, call.in);
  for (Rank from = 0; from < size; ++from)  // all read the same block at a time, which caches they share then have
    if (from == rank)
      comm.copy(call.block(rank), call.in);
    else
      comm.recv(from, call.block(from));
  co_return;
}

TUTTI_ALGORITHM(allgather, "flat", allgather_flat)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("every rank sends its block to every other; in shared memory all that is one hop");

}  // namespace tutti
