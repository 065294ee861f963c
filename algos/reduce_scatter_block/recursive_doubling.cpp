#include "algos/patterns/recursive_doubling.hpp"

#include "algos/reduce_scatter/calls.hpp"

namespace tutti {

TUTTI_ALGORITHM(reduce_scatter_block, "recursive_doubling", reduce_scatter_recursive_doubling)
    .fallback("n/e > 2147483647", "linear")
    .rounds(recursive_doubling_rounds, "ceil_log(p,2); more where the ranks are no power of two")
    .messages("c == 0 ? 0 : sum(i, 0, ceil_log(p,2) - 1, p - (p%pow(2,i+1) <= pow(2,i) ? p%pow(2,i+1) : 0))")
    .bytes(
        "c*e*sum(i, 0, ceil_log(p,2) - 1, floor(p/pow(2,i+1))*pow(2,i+1)*(p - pow(2,i)) + "
        "(p%pow(2,i+1) <= pow(2,i) ? 0 : p%pow(2,i+1)*(p - pow(2,i+1)) + 2*pow(2,2*i)))")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA 19(1), 2005")
    .deviates("MPICH has no fall-back for large vectors");

}  // namespace tutti
