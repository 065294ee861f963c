#include "algos/patterns/cyclic_shift.hpp"

#include <algorithm>

#include "algos/registry.hpp"

namespace tutti {

Task allreduce_cyclic_shift(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Blocks blocks = Blocks::split(call.in.elements(), size);
  const Rotation held{blocks, rank};  // this rank's block first, then those of the ranks that follow
  const View sum = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(held.of(sum, 0, size - rank), blocks.of(call.in, rank, size - rank)),
                     comm.copy(held.of(sum, size - rank, rank), blocks.of(call.in, 0, rank)));
  const std::int64_t radix = std::min<std::int64_t>(call.parameter("radix"), std::max(2, size));
  co_await reduce_by_cyclic_shift(comm, sum, held, radix);
  co_await collect_by_cyclic_shift(comm, sum, held, radix);
  co_await comm.wait(comm.copy(blocks.of(call.out, rank, size - rank), held.of(sum, 0, size - rank)),
                     comm.copy(blocks.of(call.out, 0, rank), held.of(sum, size - rank, rank)));
}

TUTTI_ALGORITHM(allreduce, "cyclic_shift", allreduce_cyclic_shift)
    .parameter("radix", 3, 2)
    .ports("k-1")
    .commutative()
    .rounds("2*ceil_log(p,k)")
    .messages("2*p*sum(i,0,ceil_log(p,k)-1,min(k-1,ceil(p/pow(k,i))-1))")
    .bytes("2*(p-1)*n")
    .cite(
        "Jocksch et al.: Optimised allgatherv, reduce_scatter and allreduce communication in message-passing systems, "
        "arXiv 2006.13112")
    .deviates("the same radix in every phase, where the paper chooses one for each");

}  // namespace tutti
