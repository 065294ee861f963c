#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_two_proc(Comm comm, Call call) {
  const Rank rank = comm.rank(), peer = rank ^ 1;
  co_await comm.exchange(peer, call.in, peer, call.block(peer));
  co_await comm.wait(comm.copy(call.block(rank), call.in));
}

TUTTI_ALGORITHM(allgather, "two_proc", allgather_two_proc)
    .rounds("1")
    .messages("2")
    .bytes("n")
    .requires_that("p==2", "exactly two ranks")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgather.c");

}  // namespace tutti
