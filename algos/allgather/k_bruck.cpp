#include <algorithm>

#include "algos/patterns/cyclic_shift.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_k_bruck(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::int64_t radix = std::min<std::int64_t>(call.parameter("radix"), std::max(2, size));
  const Rotation held{call.blocks, rank};  // this block first, then those of the ranks that follow
  const View work = rank == 0 ? call.out : comm.scratch(call.out.elements());
  co_await comm.wait(comm.copy(held.of(work, 0, 1), call.in));
  co_await collect_by_cyclic_shift(comm, work, held, radix);
  if (rank == 0) co_return;
  const Op low = comm.copy(call.block(0, rank), held.of(work, size - rank, rank));
  const Op high = comm.copy(call.block(rank, size - rank), held.of(work, 0, size - rank));
  co_await comm.wait(low, high);
}

TUTTI_ALGORITHM(allgather, "k_bruck", allgather_k_bruck)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .rounds("ceil_log(p,k)")
    .messages("p*sum(i,0,ceil_log(p,k)-1,min(k-1,ceil(p/pow(k,i))-1))")
    .bytes("(p-1)*n")
    .cite(
        "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient Algorithms for All-to-All Communications in Multiport "
        "Message-Passing Systems, IEEE TPDS 8(11), 1997, the concatenation operation");

}  // namespace tutti
