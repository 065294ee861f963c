#include "algos/allgather/recexch.hpp"

namespace tutti {

Task allgather_recexch_doubling(Comm comm, Call call) { return allgather_recexch(comm, call, false); }

// Of p ranks the largest power q of min(k,p) exchange; p-q fold.
#define TUTTI_RADIX "max(2,min(k,p))"
#define TUTTI_ACTIVE "pow(" TUTTI_RADIX ",floor_log(p," TUTTI_RADIX "))"

TUTTI_ALGORITHM(allgather, "recexch_doubling", allgather_recexch_doubling)
    .parameter("radix", 2, 2)
    .ports("k-1")
    .rounds("floor_log(p," TUTTI_RADIX ")+2*(p>" TUTTI_ACTIVE ")")
    .messages("2*(p-" TUTTI_ACTIVE ")+" TUTTI_ACTIVE "*(" TUTTI_RADIX "-1)*floor_log(p," TUTTI_RADIX ")")
    .bytes("(p-1)*n+(p-" TUTTI_ACTIVE ")*c*e")
    .cite(
        "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, IJHPCA "
        "19(1), 2005, on allgather by recursive doubling; here for any radix and number of ranks")
    .deviates(
        "receives are posted a phase at a time, as with MPIR_CVAR_ALLGATHER_RECEXCH_SINGLE_PHASE_RECV; MPICH's default "
        "posts those of two phases at once");

}  // namespace tutti
