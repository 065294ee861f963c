#include "algos/bcast/calls.hpp"
#include "algos/gather/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {

Task allgatherv_linear(Comm comm, Call call) {
  co_await gather_linear(comm, gather_to_first(comm.rank(), call));
  Call bcast = call;
  bcast.root = 0;
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
