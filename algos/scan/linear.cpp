#include "algos/registry.hpp"

namespace tutti {

Task scan_linear(Comm comm, Call call) {
  const Rank rank = comm.rank();
  co_await comm.wait(comm.copy(call.out, call.in));
  if (rank > 0) {
    const View prefix = comm.scratch(call.out.elements());
    co_await comm.wait(comm.recv(rank - 1, prefix));
    co_await comm.wait(comm.combine(call.out, prefix, call.out));
  }
  if (rank < comm.size() - 1) co_await comm.blocking_send(rank + 1, call.out);
}

TUTTI_ALGORITHM(scan, "linear", scan_linear)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .cite("Sanders, Traeff: Parallel Prefix (Scan) Algorithms for MPI, EuroPVM/MPI 2006");

}  // namespace tutti
