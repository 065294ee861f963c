#include "algos/registry.hpp"

namespace tutti {

Task allgather_ring(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const int right = (rank + 1) % size, left = (rank - 1 + size) % size;
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  for (int step = 0; step < size - 1; ++step)
    co_await comm.exchange(right, call.block((rank - step + size) % size), left,
                           call.block((rank - step - 1 + size) % size));
}

TUTTI_ALGORITHM(allgather, "ring", allgather_ring)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005");

}  // namespace tutti
