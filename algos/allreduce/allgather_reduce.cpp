#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_allgather_reduce(Comm comm, Call call) {
  const int size = comm.size();
  const Count elements = call.out.elements();
  const View own = comm.scratch(elements), all = comm.scratch(size * elements);
  co_await comm.wait(comm.copy(own, call.in));
  Call gather = call;
  gather.in = own;
  gather.out = all;
  gather.in_place = false;
  gather.blocks = Blocks::regular(size, elements);
  gather.out_is_blocked = true;
  co_await allgather_bruck(comm, gather);
  const View sum = gather.block(0);
  for (Rank rank = 1; rank < size; ++rank) co_await comm.wait(comm.combine(sum, sum, gather.block(rank)));
  co_await comm.wait(comm.copy(call.out, sum));
}

TUTTI_ALGORITHM(allreduce, "allgather_reduce", allreduce_allgather_reduce)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("p*(p-1)*n")
    .cite("Open MPI (main branch), coll/base: allgather, then every rank reduces by itself")
    .deviates(
        "Open MPI runs the allgather that it would choose for the communicator, here Bruck's; it combines each next "
        "vector on the left, so that its result is right for commutative operators only");

}  // namespace tutti
