#include "algos/patterns/ring.hpp"

#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_ring(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  if (size == 1) {
    co_await comm.wait(comm.copy(call.out, call.in));
    co_return;
  }
  const View sum = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(sum, call.in));
  co_await reduce_around_ring(comm, sum, call.blocks, (rank - 1 + size) % size);
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, rank)));
}

TUTTI_ALGORITHM(reduce_scatter, "ring", reduce_scatter_ring)
    .commutative()
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("Pjesivac-Grbovic: Towards Automatic and Adaptive Optimizations of MPI Collective Operations, 2007");

}  // namespace tutti
