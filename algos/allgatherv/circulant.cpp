#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {

TUTTI_ALGORITHM(allgatherv, "circulant", allgather_circulant)
    .rounds("ceil_log(p,2)")
    .messages("p*ceil_log(p,2)")
    .bytes("(p-1)*n")
    .cite(
        "Traeff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, arXiv 2410.14234, with blocks of any "
        "size");

}  // namespace tutti
