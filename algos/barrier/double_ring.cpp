#include "algos/registry.hpp"

namespace tutti {

Task barrier_double_ring(Comm comm, Call) {
  const int size = comm.size(), rank = comm.rank();
  const Rank right = (rank + 1) % size, left = (rank - 1 + size) % size;
  const View nothing;
  if (size == 1) co_return;
  for (int turn = 0; turn < 2; ++turn) {  // the first turn tells rank 0 that all have come, the second tells all
    if (rank == 0) co_await comm.blocking_send(right, nothing);
    co_await comm.wait(comm.recv(left, nothing));
    if (rank != 0) co_await comm.blocking_send(right, nothing);
  }
}

TUTTI_ALGORITHM(barrier, "double_ring", barrier_double_ring)
    .rounds("p == 1 ? 0 : 2*p")
    .messages("p == 1 ? 0 : 2*p")
    .bytes("0")
    .cite("Open MPI, coll/base: a token that goes round a ring twice");

}  // namespace tutti
