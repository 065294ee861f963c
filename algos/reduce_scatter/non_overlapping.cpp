#include "algos/patterns/compose.hpp"
#include "algos/reduce/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

namespace {
/// Rank 0 sends each rank its block of `vector`, one after the other, but no empty one.
Task scatterv_linear(Comm comm, Call call, View vector) {
  if (comm.rank() != 0) {
    if (!call.out.empty()) co_await comm.wait(comm.recv(0, call.out));
    co_return;
  }
  co_await comm.wait(comm.copy(call.out, call.blocks.of(vector, 0)));
  for (Rank other = 1; other < comm.size(); ++other)
    if (const View block = call.blocks.of(vector, other); !block.empty()) co_await comm.blocking_send(other, block);
}
}  // namespace

Task reduce_scatter_non_overlapping(Comm comm, Call call) {
  const Rank rank = comm.rank();
  const View sum = call.in_place ? call.in : comm.scratch(rank == 0 ? call.in.elements() : 0);
  const Call reduce = reduce_to_first(rank, call, sum);
  if (call.commutative())
    co_await reduce_binomial(comm, reduce);
  else
    co_await reduce_linear(comm, reduce);
  co_await scatterv_linear(comm, call, sum);
}

TUTTI_ALGORITHM(reduce_scatter, "non_overlapping", reduce_scatter_non_overlapping)
    .rounds("(commutative ? ceil_log(p,2) : p-1) + max(0, min(c,p)-1)")
    .messages("p-1 + max(0, min(c,p)-1)")
    .bytes("p*n - e*ceil(c/p)")
    .cite("Open MPI, coll/base: reduction to rank 0, then a linear scatterv")
    .deviates(
        "Open MPI runs the reduction that it would choose for the communicator; here it is binomial, or linear for "
        "operators that are not commutative");

}  // namespace tutti
