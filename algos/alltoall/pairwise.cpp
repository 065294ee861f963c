#include "algos/alltoall/calls.hpp"
#include "algos/patterns/unaliased_input.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_pairwise(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  for (int step = 1; step < size; ++step) {
    const Rank to = (rank + step) % size, from = (rank - step + size) % size;
    co_await comm.exchange(to, call.blocks.of(in, to), from, call.incoming(from));
  }
  co_await comm.wait(comm.copy(call.incoming(rank), call.blocks.of(in, rank)));
}

TUTTI_ALGORITHM(alltoall, "pairwise", alltoall_pairwise)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), "
        "2005, on all-to-all")
    .deviates(
        "shifts at every p; with a power of two MPICH exchanges with rank XOR step, and copies the own block first; "
        "in place the input is copied to scratch memory first, where the libraries run another algorithm");

}  // namespace tutti
