#include "algos/registry.hpp"

namespace tutti {

Task alltoall_pairwise_sendrecv_replace(Comm comm, Call call) {
  const View one = comm.scratch(call.blocks.largest());
  for (Rank peer = 0; peer < comm.size(); ++peer) {  // all pairs in one order: (0,1), (0,2), …, (1,2), …
    const View block = call.blocks.of(call.out, peer);
    if (peer == comm.rank() || block.empty()) continue;
    const View leaving = one.slice(0, block.elements());
    co_await comm.wait(comm.copy(leaving, block));
    co_await comm.exchange(peer, leaving, peer, block);
  }
}

TUTTI_ALGORITHM(alltoall, "pairwise_sendrecv_replace", alltoall_pairwise_sendrecv_replace)
    .requires_that("in_place", "the input in place")
    .rounds("n == 0 || p == 1 ? 0 : 2*p-3")
    .messages("n == 0 ? 0 : p*(p-1)")
    .bytes("(p-1)*n")
    .cite("MPICH, src/mpi/coll/alltoall/alltoall_intra_pairwise_sendrecv_replace.c: memory for one block more")
    .deviates("MPICH also sends a rank's own block to itself");

}  // namespace tutti
