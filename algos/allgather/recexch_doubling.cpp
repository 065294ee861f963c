#include "algos/allgather/recexch.hpp"
#include "algos/patterns/recursive_exchange.hpp"

namespace tutti {

Task allgather_recexch_doubling(Comm comm, Call call) { return allgather_recexch(comm, call, false); }

TUTTI_ALGORITHM(allgather, "recexch_doubling", allgather_recexch_doubling)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .rounds(TUTTI_PHASES "+2*(p>" TUTTI_ACTIVE ")")
    .messages("2*(p-" TUTTI_ACTIVE ")+" TUTTI_ACTIVE "*(" TUTTI_RADIX "-1)*" TUTTI_PHASES)
    .bytes("(p-1)*n+(p-" TUTTI_ACTIVE ")*c*e")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA "
        "19(1), 2005, on allgather by recursive doubling; here for any radix and number of ranks")
    .deviates(
        "receives are posted a phase at a time, as with MPIR_CVAR_ALLGATHER_RECEXCH_SINGLE_PHASE_RECV; MPICH's default "
        "posts those of two phases at once");

}  // namespace tutti
