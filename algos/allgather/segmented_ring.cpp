#include "algos/patterns/irregular.hpp"
#include "algos/patterns/ring_in_segments.hpp"

namespace tutti {
namespace {

double rounds_around(const Facts& facts) { return ring_segments(facts, 0); }
double messages_around(const Facts& facts) { return (facts["p"] - 1) * segments_of_blocks(facts, 0).sum; }

}  // namespace

TUTTI_ALGORITHM(allgather, "segmented_ring", allgather_in_segments)
    .parameter("segment", 32 << 10, 0)
    .rounds(rounds_around, "(p-1) for each segment of a block")
    .messages(messages_around, "p*(p-1) for each segment of a block")
    .bytes("(p-1)*n")
    .cite("Traeff et al.: A Pipelined Algorithm for Large, Irregular All-gather Problems, IJHPCA 24(1), 2010")
    .deviates("MPICH has it for allgatherv alone; what is empty is not sent");

}  // namespace tutti
