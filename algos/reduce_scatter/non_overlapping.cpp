#include "algos/patterns/compose.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_binomial(Comm comm, Call call);  // reduce/binomial.cpp
Task reduce_linear(Comm comm, Call call);    // reduce/linear.cpp
Task scatter_linear(Comm comm, Call call);   // scatter/linear.cpp

Task reduce_scatter_non_overlapping(Comm comm, Call call) {
  const Rank rank = comm.rank();
  const View sum = call.in_place ? call.in : comm.scratch(rank == 0 ? call.in.elements() : 0);
  const Call reduce = reduce_to_first(rank, call, sum);
  if (call.commutative())
    co_await reduce_binomial(comm, reduce);
  else
    co_await reduce_linear(comm, reduce);
  co_await scatter_linear(comm, scatter_from_first(rank, call, sum));
}

TUTTI_ALGORITHM(reduce_scatter, "non_overlapping", reduce_scatter_non_overlapping)
    .rounds("(commutative ? ceil_log(p,2) : p-1) + p-1")
    .messages("2*(p-1)")
    .bytes("p*n - e*ceil(c/p)")
    .open_mpi(1)
    .cite("Open MPI, coll/base: reduction to rank 0, then scatterv")
    .deviates(
        "Open MPI runs the reduction that it would choose for the communicator; here it is binomial, or linear for "
        "operators that are not commutative");

}  // namespace tutti
