#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_pairwise(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  if (call.in.empty()) co_return;
  // in place the front of the vector is still needed by others: accumulate where the own block lies
  // (one that reaches into where its sum goes, as blocks of any size may, is summed elsewhere)
  const View own = call.block(rank);
  const bool reaches_in = call.in_place && own != call.out && own.first - call.out.first < own.elements();
  const View sum = reaches_in ? comm.scratch(own.elements()) : call.in_place ? own : call.out;
  const View arrived = comm.scratch(own.elements());
  co_await comm.wait(comm.copy(sum, own));
  for (int step = 1; step < size; ++step) {
    const Rank to = (rank + step) % size, from = (rank - step + size) % size;
    co_await comm.exchange(to, call.block(to), from, arrived);
    co_await comm.wait(comm.combine(sum, arrived, sum));
  }
  co_await comm.wait(comm.copy(call.out, sum));
}

TUTTI_ALGORITHM(reduce_scatter, "pairwise", reduce_scatter_pairwise)
    .commutative()
    .rounds("c == 0 ? 0 : p-1")
    .messages("c == 0 ? 0 : p*(p-1)")
    .bytes("(p-1)*n")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005");

}  // namespace tutti
