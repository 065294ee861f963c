#include "algos/bcast/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/reduce/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_reduce_bcast(Comm comm, Call call) {
  const Call reduce = reduce_to_first(comm.rank(), call, call.out);
  if (call.commutative())
    co_await reduce_binomial(comm, reduce);
  else
    co_await reduce_linear(comm, reduce);
  co_await bcast_binomial(comm, bcast_from_first(call));
}

TUTTI_ALGORITHM(allreduce, "reduce_bcast", allreduce_reduce_bcast)
    .rounds("(commutative ? ceil_log(p,2) : p-1) + ceil_log(p,2)")
    .messages("2*(p-1)")
    .bytes("2*(p-1)*n")
    .cite("Open MPI, coll/base: reduction to rank 0, then broadcast")
    .deviates(
        "Open MPI runs the reduction and the broadcast that it would choose for the communicator; here both are "
        "binomial, the reduction linear for operators that are not commutative");

}  // namespace tutti
