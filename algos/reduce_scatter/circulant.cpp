#include "algos/patterns/circulant_halving.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task reduce_scatter_circulant(Comm comm, Call call) {
  const View sum = comm.scratch(call.in.elements());
  co_await reduce_scatter_by_circulant_halving(comm, call.in, sum, call.blocks);
  co_await comm.wait(comm.copy(call.out, call.blocks.of(sum, comm.rank())));
}

TUTTI_ALGORITHM(reduce_scatter, "circulant", reduce_scatter_circulant)
    .commutative()
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite("Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234")
    .deviates("blocks stay where they are and messages go around the end, where the paper rotates the vector");

}  // namespace tutti
