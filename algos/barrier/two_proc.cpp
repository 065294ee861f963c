#include "algos/registry.hpp"

namespace tutti {

Task barrier_two_proc(Comm comm, Call) {
  const Rank other = 1 - comm.rank();
  if (comm.size() == 2) co_await comm.exchange(other, View{}, other, View{});
}

TUTTI_ALGORITHM(barrier, "two_proc", barrier_two_proc)
    .requires_that("p <= 2", "at most two ranks")
    .rounds("p-1")
    .messages("2*(p-1)")
    .bytes("0")
    .cite("Open MPI, coll/base: one exchange");

}  // namespace tutti
