#include "algos/patterns/unaliased_input.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_linear(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  co_await comm.wait(comm.copy(call.incoming(rank), call.blocks.of(in, rank)));
  comm.make_requests(2 * (size - 1));
  for (int away = 1; away < size; ++away) {
    const Rank from = (rank + away) % size;
    comm.recv(from, call.incoming(from));
  }
  for (int away = 1; away < size; ++away) {
    const Rank to = (rank - away + size) % size;
    comm.send(to, call.blocks.of(in, to));
  }
}

TUTTI_ALGORITHM(alltoall, "linear", alltoall_linear)
    .rounds("p-1")
    .messages("p*(p-1)")
    .bytes("(p-1)*n")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_alltoall.c: persistent requests")
    .deviates("in place the input is copied to scratch memory first; Open MPI runs another algorithm");

}  // namespace tutti
