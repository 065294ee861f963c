#include "algos/registry.hpp"

namespace tutti {

/// With both ranks at each distance in turn, of whose blocks the one to the right is kept aside.
Task alltoall_pairwise_in_place(Comm comm, Call call) {
  const int size = comm.size();
  const View aside = comm.scratch(call.blocks.largest());
  const auto block_of = [&](Rank rank) { return call.blocks.of(call.out, rank); };
  for (int distance = 1; distance <= size / 2 && !call.out.empty(); ++distance) {
    const Rank right = (comm.rank() + distance) % size, left = (comm.rank() + size - distance) % size;
    const View to_right = aside.slice(0, block_of(right).elements());
    co_await comm.wait(comm.copy(to_right, block_of(right)));
    if (left != right) co_await comm.exchange(left, block_of(left), right, block_of(right));
    co_await comm.exchange(right, to_right, left, block_of(left));
  }
}

TUTTI_ALGORITHM(alltoall, "pairwise_in_place", alltoall_pairwise_in_place)
    .requires_that("in_place", "the input in place")
    .rounds("n == 0 ? 0 : p-1")
    .messages("n == 0 ? 0 : p*(p-1)")
    .bytes("(p-1)*n")
    .cite(
        "Open MPI, ompi/mca/coll/base/coll_base_alltoall.c, mca_coll_base_alltoall_intra_basic_inplace: what each of "
        "its algorithms is in place");

}  // namespace tutti
