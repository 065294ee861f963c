#include "algos/bcast/calls.hpp"
#include "algos/gather/calls.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {
namespace {

Task allgatherv_gather_bcast(Comm comm, Call call) {
  Call gather = call, bcast = call.with("segment", 0);
  gather.root = bcast.root = 0;
  gather.in_place = call.in_place && comm.rank() == 0;
  co_await gather_linear(comm, gather);
  bcast.in = bcast.out = call.block(0, comm.size());
  co_await bcast_binomial(comm, bcast);
}

}  // namespace

TUTTI_ALGORITHM(allgatherv, "gather_bcast", allgatherv_gather_bcast)
    .rounds("p-1+ceil_log(p,2)")
    .messages("2*(p-1)")
    .bytes(bytes_by_way_of_first, "all blocks but rank 0's to it, and all blocks to the others")
    .cite(
        "Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c: gathers at rank 0 one block after the other, broadcasts")
    .deviates(
        "the broadcast is binomial; Open MPI runs the one that it would choose for the communicator. Open MPI sends "
        "nothing where a block is empty; here that is a message as any other");

}  // namespace tutti
