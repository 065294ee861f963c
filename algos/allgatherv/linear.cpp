#include "algos/bcast/calls.hpp"
#include "algos/gather/calls.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {

Task allgatherv_linear(Comm comm, Call call) {
  Call gather = call, bcast = call;
  gather.root = bcast.root = 0;
  gather.in_place = call.in_place && comm.rank() == 0;
  co_await gather_linear(comm, gather);
  bcast.in = bcast.out = call.block(0, comm.size());
  co_await bcast_linear(comm, bcast);
}

TUTTI_ALGORITHM(allgatherv, "linear", allgatherv_linear)
    .rounds("2*(p-1)")
    .messages("2*(p-1)")
    .bytes(bytes_by_way_of_first, "all blocks but rank 0's to it, and all blocks to the others")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c: gathers at rank 0 and broadcasts")
    .deviates(
        "gathers and broadcasts by the linear algorithms; Open MPI by whichever it would choose for MPI_Gatherv and "
        "MPI_Bcast");

}  // namespace tutti
