#include "algos/patterns/compose.hpp"
#include "algos/reduce/calls.hpp"
#include "algos/registry.hpp"
#include "algos/scatter/calls.hpp"

namespace tutti {

Task reduce_scatter_block_linear(Comm comm, Call call) {
  const Rank rank = comm.rank();
  if (call.in.empty()) co_return;
  const View sum = rank == 0 ? comm.scratch(call.in.elements()) : call.in.slice(0, 0);
  const Call reduce = reduce_to_first(rank, call, sum);
  if (call.commutative())
    co_await reduce_binomial(comm, reduce);
  else
    co_await reduce_linear(comm, reduce);
  co_await scatter_binomial(comm, scatter_from_first(rank, call, sum));
}

TUTTI_ALGORITHM(reduce_scatter_block, "linear", reduce_scatter_block_linear)
    .rounds("c == 0 ? 0 : (commutative ? ceil_log(p,2) : p-1) + ceil_log(p,2)")
    .messages("c == 0 ? 0 : 2*(p-1)")
    .bytes("(p-1)*n + c*e*sum(i, 0, ceil_log(p,2)-1, floor(p/pow(2,i+1))*pow(2,i) + max(0, p%pow(2,i+1)-pow(2,i)))")
    .cite("Open MPI, coll/base: reduction to rank 0, then scatter")
    .deviates(
        "Open MPI runs the reduction and the scatter that it would choose for the communicator; here both are "
        "binomial, the reduction linear for operators that are not commutative");

}  // namespace tutti
