#include "algos/bcast/calls.hpp"
#include "algos/gather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_linear(Comm comm, Call call) {
  Call gather = call, bcast = call;
  gather.root = bcast.root = 0;
  gather.in_place = call.in_place && comm.rank() == 0;
  co_await gather_linear(comm, gather);
  bcast.in = bcast.out = call.block(0, comm.size());
  co_await bcast_linear(comm, bcast);
}

TUTTI_ALGORITHM(allgather, "linear", allgather_linear)
    .rounds("2*(p-1)")
    .messages("2*(p-1)")
    .bytes("(p-1)*n+(p-1)*c*e")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgather.c")
    .deviates(
        "gathers and broadcasts by the linear algorithms; Open MPI by whichever it would choose for MPI_Gather and "
        "MPI_Bcast");

}  // namespace tutti
