#include "algos/patterns/circulant_halving.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_circulant(Comm comm, Call call) {
  const Blocks blocks = Blocks::split(call.in.elements(), comm.size());
  co_await reduce_scatter_by_circulant_halving(comm, call.in, call.out, blocks);
  co_await allgather_by_circulant_doubling(comm, call.out, blocks);
}

TUTTI_ALGORITHM(allreduce, "circulant", allreduce_circulant)
    .commutative()
    .rounds("2*ceil_log(p,2)")
    .messages("2*p*ceil_log(p,2)")
    .bytes("2*(p-1)*n")
    .cite("Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234")
    .deviates("blocks stay where they are and messages go around the end, where the paper rotates the vector");

}  // namespace tutti
