#include "algos/patterns/prefix.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task exscan_recursive_doubling(Comm comm, Call call) { co_await prefix_by_doubling(comm, call, false); }

TUTTI_ALGORITHM(exscan, "recursive_doubling", exscan_recursive_doubling)
    .rounds("ceil_log(p,2)")
    .messages("sum(i, 0, ceil_log(p,2) - 1, 2*(floor(p/pow(2,i+1))*pow(2,i) + max(0, p%pow(2,i+1) - pow(2,i))))")
    .bytes("n*sum(i, 0, ceil_log(p,2) - 1, 2*(floor(p/pow(2,i+1))*pow(2,i) + max(0, p%pow(2,i+1) - pow(2,i))))")
    .cite("Sanders, Traeff: Parallel Prefix (Scan) Algorithms for MPI, EuroPVM/MPI 2006")
    .deviates(
        "Open MPI sends nothing for a count of 0; MPICH copies instead of swapping two buffers when a non-commutative "
        "operand arrives from above");

}  // namespace tutti
