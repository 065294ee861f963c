#include "algos/patterns/irregular.hpp"
#include "algos/patterns/ring_in_segments.hpp"

namespace tutti {
namespace {

double least(const Facts& facts) { return ring_segments(facts, 0); }
double most(const Facts& facts) { return ring_segments(facts, 1); }
double messages(const Facts& facts) { return (facts["p"] - 1) * segments_of_blocks(facts, 0).sum; }

}  // namespace

TUTTI_ALGORITHM(allgatherv, "segmented_ring", allgather_in_segments)
    .parameter("segment", 32 << 10, 0)
    .rounds_between(least, most, "segments of all blocks but one rank's; an empty block may take a round")
    .messages(messages, "p-1 for each segment of each block")
    .bytes("(p-1)*n")
    .cite(
        "MPICH, src/mpi/coll/allgatherv/allgatherv_intra_ring.c, with MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE; Traeff "
        "et al.: A Pipelined Algorithm for Large, Irregular All-gather Problems, IJHPCA 24(1), 2010");

}  // namespace tutti
