#include "algos/allgather/calls.hpp"
#include "algos/patterns/circulant_halving.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allgather_circulant(Comm comm, Call call) {
  co_await comm.wait(comm.copy(call.block(comm.rank()), call.in));
  co_await allgather_by_circulant_doubling(comm, call.out, call.blocks);
}

TUTTI_ALGORITHM(allgather, "circulant", allgather_circulant)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite("Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234")
    .deviates("blocks stay where they are and messages go around the end, where the paper rotates the vector");

}  // namespace tutti
