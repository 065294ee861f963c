#include "algos/registry.hpp"

namespace tutti {

Task exscan_linear(Comm comm, Call call) {
  const Rank rank = comm.rank(), last = comm.size() - 1;
  if (last == 0) co_return;
  if (rank == 0) {
    co_await comm.blocking_send(1, call.in);
  } else if (rank == last) {
    co_await comm.wait(comm.recv(rank - 1, call.out));
  } else {
    const View prefix = comm.scratch(call.out.elements());
    co_await comm.wait(comm.copy(prefix, call.in));
    co_await comm.wait(comm.recv(rank - 1, call.out));
    co_await comm.wait(comm.combine(prefix, call.out, prefix));
    co_await comm.blocking_send(rank + 1, prefix);
  }
}

TUTTI_ALGORITHM(exscan, "linear", exscan_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("Sanders, Traeff: Parallel Prefix (Scan) Algorithms for MPI, EuroPVM/MPI 2006")
    .deviates("one rank does nothing; Open MPI would send to a rank that does not exist");

}  // namespace tutti
