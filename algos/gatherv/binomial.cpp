#include "algos/gather/calls.hpp"
#include "algos/patterns/irregular.hpp"

namespace tutti {

TUTTI_ALGORITHM(gatherv, "binomial", gather_binomial)
    .rounds("ceil_log(p,2)")
    .messages("p-1")
    .bytes(bytes_up_binomial, "each block as many times as its virtual rank has ones in binary")
    .cite(
        "Traeff: Practical, Linear-time, Fully Distributed Algorithms for Irregular Gather and Scatter, EuroMPI 2017 "
        "(arXiv 1702.05967): the tree that it compares with")
    .deviates("all ranks know all counts, so that none is told before");

}  // namespace tutti
