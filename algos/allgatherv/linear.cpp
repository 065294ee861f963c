#include "algos/allgather/calls.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {
double bytes(const Facts& facts) {
  return facts["p"] * facts["n"] - static_cast<double>(facts.count_of(0)) * facts["e"];
}
}  // namespace

TUTTI_ALGORITHM(allgatherv, "linear", allgather_linear)
    .rounds("2*(p-1)")
    .messages("2*(p-1)")
    .bytes(bytes, "all blocks but rank 0's to it, and all blocks to the others")
    .cite("Open MPI, ompi/mca/coll/base/coll_base_allgatherv.c: gathers at rank 0 and broadcasts")
    .deviates(
        "gathers and broadcasts by the linear algorithms; Open MPI by whichever it would choose for MPI_Gatherv and "
        "MPI_Bcast");

}  // namespace tutti
