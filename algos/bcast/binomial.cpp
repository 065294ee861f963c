#include "algos/registry.hpp"

namespace tutti {

Task bcast_binomial(Comm comm, Call call) {
  const int size = comm.size(), vrank = (comm.rank() - call.root + size) % size;  // the root is virtual rank 0
  int mask = 1;
  for (; mask < size; mask <<= 1)
    if (vrank & mask) {
      co_await comm.wait(comm.recv((vrank - mask + call.root) % size, call.out));
      break;
    }
  while (mask >>= 1)
    if (vrank + mask < size) comm.send((vrank + mask + call.root) % size, call.out);
}

TUTTI_ALGORITHM(bcast, "binomial", bcast_binomial)
    .rounds("ceil_log(p,2)")
    .messages("p-1")
    .bytes("(p-1)*n")
    .open_mpi(6)
    .mpich("MPIR_Bcast_intra_binomial")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4.1");

}  // namespace tutti
