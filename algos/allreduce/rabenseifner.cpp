#include "algos/patterns/recursive_halving.hpp"
#include "algos/registry.hpp"

namespace tutti {

Task allreduce_rabenseifner(Comm comm, Call call) {
  const Fold fold(comm.size(), 0);  // of a pair of ranks the even one takes part
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  const View inbox = comm.scratch(call.out.elements());
  co_await comm.wait(comm.copy(call.out, call.in));
  co_await reduce_scatter_by_halving(comm, fold, call.out, inbox);
  if (!fold.takes_part(rank)) {
    co_await comm.wait(comm.recv(partner, call.out));
    co_return;
  }
  co_await allgather_by_doubling(comm, halvings(fold, fold.core_number(rank), call.out));
  if (fold.paired(rank)) co_await comm.blocking_send(partner, call.out);
}

TUTTI_ALGORITHM(allreduce, "rabenseifner", allreduce_rabenseifner)
    .fallback("!commutative || c < pow(2,floor_log(p,2))", "linear")
    .rounds("2*floor_log(p,2) + (pow2(p) ? 0 : 3)")
    .messages("2*pow(2,floor_log(p,2))*floor_log(p,2) + 4*(p - pow(2,floor_log(p,2)))")
    .bytes("2*(pow(2,floor_log(p,2)) - 1)*n + (p - pow(2,floor_log(p,2)))*(2*c + ceil(c/2))*e")
    .cite("Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004")
    .deviates(
        "MPICH folds without halving (the even rank sends its whole vector to the odd one, which takes part), and cuts "
        "the vector into equal blocks rather than halves.");

}  // namespace tutti
