#include "algos/bcast/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/reduce/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_linear(Comm comm, Call call) {
  co_await reduce_linear(comm, reduce_to_first(comm.rank(), call, call.out));
  co_await bcast_linear(comm, bcast_from_first(call));
}

TUTTI_ALGORITHM(allreduce, "linear", allreduce_linear)
    .rounds("2*(p-1)")
    .messages("2*(p-1)")
    .bytes("2*(p-1)*n")
    .cite("Open MPI, coll/base: the linear reduction to rank 0, then the linear broadcast");

}  // namespace tutti
