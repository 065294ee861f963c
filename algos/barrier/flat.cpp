#include "algos/registry.hpp"

namespace tutti {

Task barrier_flat(Comm comm, Call) {
  const int size = comm.size(), rank = comm.rank();
  for (int away = 1; away < size; ++away) comm.send((rank + away) % size, View{});
  for (int away = 1; away < size; ++away) comm.recv((rank - away + size) % size, View{});
  co_return;
}

TUTTI_ALGORITHM(barrier, "flat", barrier_flat)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("0")
    .cite("every rank tells every other; in shared memory all that is one hop");

}  // namespace tutti
