#include "algos/patterns/unaliased_input.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task alltoall_two_proc(Comm comm, Call call) {
  const Rank rank = comm.rank(), peer = rank ^ 1;
  const View in = unaliased_input(comm, call);
  co_await comm.wait(comm.copy(in, call.in));
  co_await comm.exchange(peer, call.blocks.of(in, peer), peer, call.blocks.of(call.out, peer));
  co_await comm.wait(comm.copy(call.blocks.of(call.out, rank), call.blocks.of(in, rank)));
}

TUTTI_ALGORITHM(alltoall, "two_proc", alltoall_two_proc)
    .rounds("1")
    .messages("2")
    .bytes("n")
    .requires_that("p==2", "exactly two ranks")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_alltoall.c")
    .deviates("in place the input is copied to scratch memory first; Open MPI runs another algorithm");

}  // namespace tutti
